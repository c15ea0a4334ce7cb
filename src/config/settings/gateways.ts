/** SMS gateways: which, in what order, how long each may take; and the settings of each, from its own file. */
import { byKey, byMode, fail, integer, type Kind, list, oneOf, setting, span } from '../../formats/setting-kinds.ts';
import { gatewayNames, gatewaySettings, type GatewayName } from '../../sms/gateways/index.ts';

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

export const country = /^[A-Z]{2}$/;

export const gatewaysSettings = {
  gateways: setting<GatewayName[] | undefined>({
    env: 'LEDGERLINE_GATEWAYS',
    kind: gatewayList,
    default: byMode<GatewayName[] | undefined>(['inbox'], undefined),
    defaultText: 'inbox in the sandbox',
    about:
      'The gateways that send messages, in the order in which they are tried. docs/gateways.md says how to set up each one.',
  }),
  gatewaysByCountry: setting<Map<string, GatewayName[]>>({
    env: 'LEDGERLINE_GATEWAYS_BY_COUNTRY',
    kind: byKey('country', country, gatewayList),
    default: new Map(),
    defaultText: 'none',
    about: 'Another list for a country, such as `DE=vonage,twilio; FR=infobip`.',
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
  breakerFailures: setting({
    env: 'LEDGERLINE_BREAKER_FAILURES',
    kind: integer(1, 1000),
    default: 5,
    about: 'Failures in a row after which a gateway is no longer used.',
  }),
  breakerPauseSeconds: setting({
    env: 'LEDGERLINE_BREAKER_PAUSE',
    kind: span,
    default: 5,
    defaultText: '5s',
    about:
      'How long a gateway is not used before it is tried again with one message. Each failed try doubles the time.',
  }),
  breakerLongestSeconds: setting({
    env: 'LEDGERLINE_BREAKER_LONGEST_PAUSE',
    kind: span,
    default: 120,
    defaultText: '2m',
    about: 'Maximum time between two tries of a gateway that is not used.',
  }),
  gatewayOrder: setting<'adaptive' | 'fixed'>({
    env: 'LEDGERLINE_GATEWAY_ORDER',
    kind: oneOf('adaptive', 'fixed'),
    default: 'adaptive',
    about:
      'With adaptive, a gateway whose messages do not arrive or are not used is tried after the others. This is decided for each country.',
  }),
  orderWindowSeconds: setting({
    env: 'LEDGERLINE_ORDER_WINDOW',
    kind: span,
    default: 21_600,
    defaultText: '6h',
    about:
      'Adaptive order: the time span whose messages are compared, and so how long a gateway stays behind the others.',
  }),
  orderMessages: setting({
    env: 'LEDGERLINE_ORDER_MESSAGES',
    kind: integer(10, 1_000_000),
    default: 50,
    about: 'Adaptive order: messages that a gateway must have sent to a country before it is compared with others.',
  }),
  orderMarginPercent: setting({
    env: 'LEDGERLINE_ORDER_MARGIN_PERCENT',
    kind: integer(1, 100),
    default: 15,
    about:
      'Adaptive order: a gateway is tried after the others if another one is better by more than this many percentage points.',
  }),
  orderFloorPercent: setting({
    env: 'LEDGERLINE_ORDER_FLOOR_PERCENT',
    kind: integer(0, 100),
    default: 30,
    about:
      'Adaptive order: a gateway below this percentage is tried after the others, even if nothing is known about them. 0 turns it off.',
  }),
  ...gatewaySettings,
};
