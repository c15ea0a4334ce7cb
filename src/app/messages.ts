/** Wires the trail of verifications, the receipts, and the order of gateways that follows from both. */
import { adaptiveOrder, createGatewayOrder, type GatewayOrder } from '../messages/gateway-order.ts';
import { createReceipts } from '../messages/receipts.ts';
import { createTrail } from '../messages/trail.ts';
import { createTrailStore, type TrailStore } from '../messages/trail.store.ts';
import type { Observe } from '../monitoring/observe.ts';
import { gatewayChannels } from '../sms/gateways/index.ts';
import type { Core } from './core.ts';

export type OpenMessages = ReturnType<typeof openMessages>;

/** Counts the text of a code as delivered or failed, for the rules of the guard. */
type CountReceipt = Parameters<typeof createReceipts>[0]['onMoved'];

export function openMessages(core: Core, countReceipt: CountReceipt) {
  const { db, clock, observer, jobs, releasers, traced } = core;
  const { observe } = observer;
  const store = traced('messages', createTrailStore(db));
  const trail = createTrail({ store, clock, observe });
  releasers.add(() => trail.flush(true));
  const order = openGatewayOrder(core, store);
  jobs.start({ 'trail-flush': () => trail.flush(), 'gateway-order': order.refresh });
  const observePhone: Observe = (observation) => {
    observe(observation);
    trail.note(observation);
  };
  const referenceKeys = core.deriveKeys('message references');
  return {
    store,
    trail,
    order,
    referenceKeys,
    receipts: createReceipts({
      store,
      clock,
      observe,
      referenceKeys,
      channelOf: (gateway) => gatewayChannels.get(gateway)![0]!,
      onMoved: countReceipt,
    }),
    /** Observes, and notes what belongs to a user's trail. */
    observePhone,
  };
}

function openGatewayOrder({ config, clock, observer }: Core, store: TrailStore): GatewayOrder {
  return createGatewayOrder({
    store,
    clock,
    observe: observer.observe,
    gateways: config.gateways!.value,
    byCountry: config.gateways!.exceptions,
    areRivals: (one, other) => gatewayChannels.get(one)?.[0] === gatewayChannels.get(other)?.[0],
    limits: config.gatewayOrder === 'adaptive' ? adaptiveOrder : undefined,
    settleSeconds: config.codeSeconds,
  });
}
