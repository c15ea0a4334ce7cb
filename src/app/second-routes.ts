/** Wires the messages that nobody asks for: a code that did not arrive is sent once more. */
import { createSecondRoutes, type SecondRouteParts, type SecondRoutes } from '../codes/second-route.ts';
import { createSecondRouteStore } from '../codes/second-route.store.ts';
import type { SecondWay } from '../codes/lost-text.ts';
import type { GatewayOrder } from '../messages/gateway-order.ts';
import { gatewayChannels } from '../sms/gateways/index.ts';
import type { Core } from './core.ts';
import { reportWork } from './report-work.ts';

interface OpenSecondRouteParts extends Pick<
  SecondRouteParts,
  'rebuilders' | 'spend' | 'channels' | 'delivery' | 'objectToChannel'
> {
  order: GatewayOrder;
}

/** Undefined if both ways are off. */
export function openSecondRoutes(core: Core, parts: OpenSecondRouteParts): SecondRoutes | undefined {
  const { config, db, clock, observer, traced } = core;
  const { order, ...given } = parts;
  const afterSeconds = new Map<SecondWay, number>();
  if (config.resendAfterSeconds !== undefined) afterSeconds.set('gateway', config.resendAfterSeconds);
  const hasNextChannel = [...config.channels.values()].some((names) => names.length > 1);
  if (config.channelSeconds !== undefined && hasNextChannel) afterSeconds.set('channel', config.channelSeconds);
  if (afterSeconds.size === 0) return undefined;
  const secondRoutes = createSecondRoutes({
    store: traced('codes', createSecondRouteStore(db)),
    ...given,
    gatewaysFor: (country, channel) =>
      order.orderFor(country).filter((name) => gatewayChannels.get(name)?.includes(channel)),
    clock,
    report: reportWork(observer, 'second-route'),
    afterSeconds,
    codeAttempts: config.codeAttempts,
  });
  core.jobs.start({ 'second-route': secondRoutes.sendDue });
  core.releasers.add(secondRoutes.close);
  return secondRoutes;
}
