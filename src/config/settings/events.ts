/** Events and webhooks. */
import { fail, integer, type Kind, list, setting, url } from '../../formats/setting-kinds.ts';
import { isNetwork } from '../../values/network.ts';

const hostName = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i;

const targets: Kind<string[]> = {
  form: 'list of networks, addresses and host names, separated by commas',
  parse: (value) =>
    list
      .parse(value)
      .map((entry) =>
        isNetwork(entry) || hostName.test(entry)
          ? entry
          : fail(`has "${entry}", which is no network, address or host name`),
      ),
};

export const eventsSettings = {
  webhookAllow: setting<string[]>({
    env: 'LEDGERLINE_EVENTS_ALLOW',
    kind: targets,
    default: [],
    about:
      'Private targets that webhooks may be sent to, even over http, such as `10.0.0.0/8,hooks.internal`. A host name does not allow loopback or link-local addresses; for these, list the network.',
  }),
  webhookProxy: setting({
    env: 'LEDGERLINE_EVENTS_PROXY',
    kind: url('http'),
    secret: true,
    about:
      'HTTP proxy for all webhooks, by CONNECT. The proxy resolves the host names, so it must refuse private addresses itself.',
  }),
  webhookRate: setting({
    env: 'LEDGERLINE_EVENTS_RATE',
    kind: integer(1, 100_000),
    default: 1000,
    about:
      'Maximum number of requests to one webhook endpoint in a second, and from one process to one host. At most 16 are in flight at the same time.',
  }),
};
