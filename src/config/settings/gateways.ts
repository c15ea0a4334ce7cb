/** SMS gateways: which, in what order, how long each may take; and the settings of each, from its own file. */
import {
  byKey,
  byMode,
  fail,
  integer,
  type Kind,
  kindWithDefault,
  listOf,
  oneOf,
  setting,
  spanSeconds,
  url,
  withExceptions,
  type WithExceptions,
} from '../../formats/setting-kinds.ts';
import { channels, type ChannelOrder } from '../../sms/channels.ts';
import { withKnownCountries } from './countries.ts';
import { gatewayBaseUrls, gatewayNames, gatewaySettings, type GatewayName } from '../../sms/gateways/index.ts';

/** Names in an order, each once. */
function orderOf<T extends string>(what: string, names: readonly T[], missing: string): Kind<T[]> {
  const { form, parse } = listOf(what, names);
  return {
    form,
    parse(value) {
      const given = parse(value);
      if (given.length === 0) return fail(missing);
      if (new Set(given).size < given.length) return fail(`names a ${what} twice`);
      return given;
    },
  };
}

const gatewayList = orderOf('gateway', gatewayNames, 'must name at least one gateway');
const channelList = orderOf('channel', channels, 'must name at least one channel for each country');

interface Breaker {
  failures: number;
  pauseSeconds: number;
  longestPauseSeconds: number;
}

const secondsOrOff: Kind<number | undefined> = {
  form: 'integer, 5 to 600; or off',
  parse: (value) => (value === 'off' ? undefined : integer(5, 600, 'off').parse(value)),
};

const breaker: Kind<Breaker> = {
  form: 'failures/pause/longest pause, such as 5/5s/2m',
  parse(value) {
    const [, failures, pause, longest] =
      /^([1-9]\d{0,3})\/(\w+)\/(\w+)$/.exec(value) ?? fail('must be such as 5/5s/2m');
    const [pauseSeconds, longestPauseSeconds] = [spanSeconds(pause!), spanSeconds(longest!)];
    if (longestPauseSeconds < pauseSeconds) return fail('has a longest pause that is shorter than the first');
    return { failures: Number(failures), pauseSeconds, longestPauseSeconds };
  },
};

export const country = /^[A-Z]{2}$/;

const gatewayLists = withKnownCountries(withExceptions('country', country, gatewayList), ({ exceptions }) =>
  exceptions.keys(),
);
const givenChannelLists = withKnownCountries(byKey('country', /^(\*|[A-Z]{2})$/, channelList), (lists) => lists.keys());
const channelLists: Kind<ChannelOrder> = {
  ...givenChannelLists,
  parse: (value) => new Map([['*', ['sms']], ...givenChannelLists.parse(value)]),
};

export const gatewaysSettings = {
  gateways: setting<WithExceptions<GatewayName[]> | undefined>({
    env: 'LEDGERLINE_GATEWAYS',
    kind: gatewayLists,
    default: byMode<WithExceptions<GatewayName[]> | undefined>(gatewayLists.parse('inbox'), undefined),
    defaultText: 'inbox in the sandbox; production must choose',
    about:
      'The gateways that send messages, in the order in which they are tried, and another list for some countries, such as `twilio,vonage; DE=vonage,twilio; FR=infobip`. docs/gateways.md says how to set up each one.',
  }),
  channels: setting({
    env: 'LEDGERLINE_CHANNELS',
    ...kindWithDefault(channelLists, '*=sms'),
    about:
      'The channels by which codes are sent, in their order, by country, and with * for all the others, such as `BR=whatsapp,sms; *=sms,voice` (docs/channels.md).',
  }),
  gatewayUrls: setting<ReadonlyMap<string, string>>({
    env: 'LEDGERLINE_GATEWAY_URLS',
    kind: byKey('gateway', new RegExp(`^(${[...gatewayBaseUrls.keys()].join('|')})$`), url('https', 'http')),
    default: new Map(),
    defaultText: [...gatewayBaseUrls].map(([name, baseUrl]) => `${name}=${baseUrl}`).join('; '),
    httpsOnly: true,
    about: 'Another base URL of a gateway, such as one in another region.',
  }),
  gatewaySeconds: setting({
    env: 'LEDGERLINE_GATEWAY_SECONDS',
    kind: integer(1, 60),
    default: 4,
    about: 'How long one gateway may take to answer.',
  }),
  sendSeconds: setting({
    env: 'LEDGERLINE_SEND_SECONDS',
    kind: integer(1, 120),
    default: 10,
    about: 'How long all gateways together may take. After that the caller gets 503.',
  }),
  breaker: setting({
    env: 'LEDGERLINE_BREAKER',
    ...kindWithDefault(breaker, '5/5s/2m'),
    about:
      'Failures in a row after which a gateway is no longer used; how long until it is tried again with one message; and how long at most, since each failed try doubles that time.',
  }),
  resendAfterSeconds: setting({
    env: 'LEDGERLINE_RESEND_AFTER_SECONDS',
    kind: secondsOrOff,
    defaultText: 'off',
    about:
      'Seconds after which a text without a receipt is sent once more over another gateway. If its receipt says that it failed, this happens at once. docs/gateways.md says when.',
  }),
  channelSeconds: setting({
    env: 'LEDGERLINE_CHANNEL_SECONDS',
    kind: secondsOrOff,
    defaultText: 'off',
    about:
      'Seconds after which a message without a receipt is followed by one over the next channel of LEDGERLINE_CHANNELS, with the same code. If its receipt says that it failed, this happens at once. docs/channels.md says when.',
  }),
  gatewayOrder: setting<'adaptive' | 'fixed'>({
    env: 'LEDGERLINE_GATEWAY_ORDER',
    kind: oneOf('adaptive', 'fixed'),
    default: 'adaptive',
    about:
      'With adaptive, a gateway whose messages do not arrive or are not used is tried after the others. This is decided for each country.',
  }),
  ...gatewaySettings,
};
