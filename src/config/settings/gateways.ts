/** SMS gateways: which, in what order, how long each may take; and the settings of each, from its own file. */
import {
  byKey,
  byMode,
  fail,
  integer,
  type Kind,
  list,
  oneOf,
  setting,
  spanSeconds,
  url,
  withExceptions,
  type WithExceptions,
} from '../../formats/setting-kinds.ts';
import { channels, type CodeChannel, type ChannelOrder } from '../../sms/channels.ts';
import { withKnownCountries } from './countries.ts';
import { gatewayBaseUrls, gatewayNames, gatewaySettings, type GatewayName } from '../../sms/gateways/index.ts';

const gatewayList: Kind<GatewayName[]> = {
  form: `list of ${gatewayNames.join(', ')}`,
  parse(value) {
    const names = list.parse(value).map((name) => {
      const known = gatewayNames.find((gateway) => gateway === name);
      return known ?? fail(`has the gateway "${name}"; there are ${gatewayNames.join(', ')}`);
    });
    if (names.length === 0) return fail('must name at least one gateway');
    if (new Set(names).size < names.length) return fail('names a gateway twice');
    return names;
  },
};

interface Breaker {
  failures: number;
  pauseSeconds: number;
  longestPauseSeconds: number;
}

const secondsOrOff: Kind<number | undefined> = {
  form: 'integer, 5 to 600; or off',
  parse: (value) => (value === 'off' ? undefined : integer(5, 600).parse(value)),
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

const channelList: Kind<CodeChannel[]> = {
  form: `list of ${channels.join(', ')}`,
  parse(value) {
    const given = list.parse(value).map((name) => {
      const known = channels.find((channel) => channel === name);
      return known ?? fail(`has the channel "${name}"; there are ${channels.join(', ')}`);
    });
    if (given.length === 0) return fail('must name at least one channel for each country');
    if (new Set(given).size < given.length) return fail('names a channel twice');
    return given;
  },
};

const gatewayLists = withKnownCountries(withExceptions('country', country, gatewayList), ({ exceptions }) =>
  exceptions.keys(),
);
const channelLists = withKnownCountries(byKey('country', /^(\*|[A-Z]{2})$/, channelList), (lists) => lists.keys());

export const gatewaysSettings = {
  gateways: setting<WithExceptions<GatewayName[]> | undefined>({
    env: 'LEDGERLINE_GATEWAYS',
    kind: gatewayLists,
    default: byMode<WithExceptions<GatewayName[]> | undefined>(gatewayLists.parse('inbox'), undefined),
    defaultText: 'inbox in the sandbox; production must choose',
    about:
      'The gateways that send messages, in the order in which they are tried, and another list for some countries, such as `twilio,vonage; DE=vonage,twilio; FR=infobip`. docs/gateways.md says how to set up each one.',
  }),
  channels: setting<ChannelOrder>({
    env: 'LEDGERLINE_CHANNELS',
    kind: channelLists,
    default: new Map([['*', ['sms']]]),
    defaultText: '*=sms',
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
  breaker: setting<Breaker>({
    env: 'LEDGERLINE_BREAKER',
    kind: breaker,
    default: breaker.parse('5/5s/2m'),
    defaultText: '5/5s/2m',
    about:
      'Failures in a row after which a gateway is no longer used; how long until it is tried again with one message; and how long at most, since each failed try doubles that time.',
  }),
  resendAfterSeconds: setting<number | undefined>({
    env: 'LEDGERLINE_RESEND_AFTER_SECONDS',
    kind: secondsOrOff,
    default: undefined,
    defaultText: 'off',
    about:
      'Seconds after which a text without a receipt is sent once more over another gateway. If its receipt says that it failed, this happens at once. docs/gateways.md says when.',
  }),
  channelSeconds: setting<number | undefined>({
    env: 'LEDGERLINE_CHANNEL_SECONDS',
    kind: secondsOrOff,
    default: undefined,
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
