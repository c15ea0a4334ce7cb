/** SMS gateways: which, in what order, and how to reach each. */
import { type VonageSignature, vonageSignatures } from '../../sms/gateways/vonage.ts';
import { byKey, byMode, fail, integer, type Kind, list, oneOf, setting, span, text, url, word } from '../kinds.ts';

/** Every gateway there is, and what it cannot do without. */
export const gatewayNames = [
  'twilio',
  'vonage',
  'infobip',
  'messagebird',
  'aws',
  'webhook',
  'smpp',
  'console',
  'inbox',
] as const;
export type GatewayName = (typeof gatewayNames)[number];

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

const webhookSecret: Kind<string> = {
  form: 'whsec_ and the base64 of 24 to 64 random bytes',
  parse(value) {
    const bytes = /^whsec_[A-Za-z0-9+/]+=*$/.test(value) ? Buffer.from(value.slice(6), 'base64').length : 0;
    return bytes >= 24 && bytes <= 64 ? value : fail('must be whsec_ and the base64 of 24 to 64 random bytes');
  },
};

const smppUrl: Kind<string> = {
  form: 'URL, smpp://system-id@host:port or smpps://system-id@host:port',
  parse(value) {
    const checked = url('smpp', 'smpps').parse(value);
    return new URL(checked).username === '' ? fail('must name the system id: smpp://system-id@host:port') : checked;
  },
};

/** SMPP 3.4 section 5.2.2: nine octets, the last of them a zero. */
const smppPassword: Kind<string> = {
  form: 'text of at most 8 characters',
  parse: (value) => (value.length <= 8 ? value : fail('must have at most 8 characters, as SMPP 3.4 allows no more')),
};

export const gatewaysSettings = {
  gateways: setting<GatewayName[] | undefined>({
    env: 'LEDGERLINE_GATEWAYS',
    kind: gatewayList,
    default: byMode<GatewayName[] | undefined>(['inbox'], undefined),
    defaultText: 'inbox in the sandbox',
    about: 'Who carries messages, first to last; docs/gateways.md tells how to set each up.',
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
    about: 'How long all gateways together may take; then the caller gets 503.',
  }),
  breakerFailures: setting({
    env: 'LEDGERLINE_BREAKER_FAILURES',
    kind: integer(1, 1000),
    default: 5,
    about: 'Failures in a row after which a gateway is left out.',
  }),
  breakerPauseSeconds: setting({
    env: 'LEDGERLINE_BREAKER_PAUSE',
    kind: span,
    default: 5,
    defaultText: '5s',
    about: 'How long a gateway is left out before one message tries it again; each try that fails doubles it.',
  }),
  breakerLongestSeconds: setting({
    env: 'LEDGERLINE_BREAKER_LONGEST_PAUSE',
    kind: span,
    default: 120,
    defaultText: '2m',
    about: 'The longest that a gateway is left out between two tries.',
  }),
  gatewayOrder: setting<'adaptive' | 'fixed'>({
    env: 'LEDGERLINE_GATEWAY_ORDER',
    kind: oneOf('adaptive', 'fixed'),
    default: 'adaptive',
    about: 'Whether a gateway whose messages do not arrive or are not used goes behind the others, by country.',
  }),
  orderWindowSeconds: setting({
    env: 'LEDGERLINE_ORDER_WINDOW',
    kind: span,
    default: 21_600,
    defaultText: '6h',
    about: 'Adaptive order: how far back the numbers go, and so how long a gateway stays behind.',
  }),
  orderMessages: setting({
    env: 'LEDGERLINE_ORDER_MESSAGES',
    kind: integer(10, 1_000_000),
    default: 50,
    about: 'Adaptive order: messages that a gateway must have carried in a country before anything is concluded.',
  }),
  orderMarginPercent: setting({
    env: 'LEDGERLINE_ORDER_MARGIN_PERCENT',
    kind: integer(1, 100),
    default: 15,
    about: 'Adaptive order: percentage points that a gateway must be behind another.',
  }),
  orderFloorPercent: setting({
    env: 'LEDGERLINE_ORDER_FLOOR_PERCENT',
    kind: integer(0, 100),
    default: 30,
    about: 'Adaptive order: a gateway below this goes behind the others even if nothing is known of them; 0 is off.',
  }),
  twilioAccount: setting<string | undefined>({
    env: 'LEDGERLINE_TWILIO_ACCOUNT',
    kind: word,
    default: undefined,
    requiredBy: 'twilio',
    about: 'Twilio: the account’s SID.',
  }),
  twilioToken: setting<string | undefined>({
    env: 'LEDGERLINE_TWILIO_TOKEN',
    kind: word,
    default: undefined,
    secret: true,
    requiredBy: 'twilio',
    about: 'Twilio: the account’s auth token; it also signs receipts.',
  }),
  twilioService: setting<string | undefined>({
    env: 'LEDGERLINE_TWILIO_SERVICE',
    kind: word,
    default: undefined,
    about: 'Twilio: SID of a messaging service that chooses the sender.',
  }),
  twilioUrl: setting({
    env: 'LEDGERLINE_TWILIO_URL',
    kind: url('https', 'http'),
    default: 'https://api.twilio.com',
    httpsOnly: true,
    about: 'Twilio: where its API is.',
  }),
  vonageKey: setting<string | undefined>({
    env: 'LEDGERLINE_VONAGE_KEY',
    kind: word,
    default: undefined,
    requiredBy: 'vonage',
    about: 'Vonage: the API key.',
  }),
  vonageSecret: setting<string | undefined>({
    env: 'LEDGERLINE_VONAGE_SECRET',
    kind: word,
    default: undefined,
    secret: true,
    requiredBy: 'vonage',
    about: 'Vonage: the API secret.',
  }),
  vonageSignatureSecret: setting<string | undefined>({
    env: 'LEDGERLINE_VONAGE_SIGNATURE_SECRET',
    kind: word,
    default: undefined,
    secret: true,
    about: 'Vonage: the signature secret, where the account signs its webhooks.',
  }),
  vonageSignature: setting<VonageSignature>({
    env: 'LEDGERLINE_VONAGE_SIGNATURE',
    kind: oneOf(...vonageSignatures),
    default: 'sha256',
    about: 'Vonage: how the account signs its webhooks.',
  }),
  vonageUrl: setting({
    env: 'LEDGERLINE_VONAGE_URL',
    kind: url('https', 'http'),
    default: 'https://rest.nexmo.com',
    httpsOnly: true,
    about: 'Vonage: where its API is.',
  }),
  infobipKey: setting<string | undefined>({
    env: 'LEDGERLINE_INFOBIP_KEY',
    kind: word,
    default: undefined,
    secret: true,
    requiredBy: 'infobip',
    about: 'Infobip: the API key.',
  }),
  infobipUrl: setting<string | undefined>({
    env: 'LEDGERLINE_INFOBIP_URL',
    kind: url('https', 'http'),
    default: undefined,
    requiredBy: 'infobip',
    httpsOnly: true,
    about: 'Infobip: the account’s own base URL.',
  }),
  messagebirdKey: setting<string | undefined>({
    env: 'LEDGERLINE_MESSAGEBIRD_KEY',
    kind: word,
    default: undefined,
    secret: true,
    requiredBy: 'messagebird',
    about: 'MessageBird: the access key.',
  }),
  messagebirdSigningKey: setting<string | undefined>({
    env: 'LEDGERLINE_MESSAGEBIRD_SIGNING_KEY',
    kind: word,
    default: undefined,
    secret: true,
    about: 'MessageBird: the key that signs its webhooks.',
  }),
  messagebirdUrl: setting({
    env: 'LEDGERLINE_MESSAGEBIRD_URL',
    kind: url('https', 'http'),
    default: 'https://rest.messagebird.com',
    httpsOnly: true,
    about: 'MessageBird: where its API is.',
  }),
  awsRegion: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_REGION',
    kind: word,
    default: undefined,
    requiredBy: 'aws',
    about: 'AWS End User Messaging: the region.',
  }),
  awsKeyId: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_KEY_ID',
    kind: word,
    default: undefined,
    requiredBy: 'aws',
    about: 'AWS: the access key’s id.',
  }),
  awsSecret: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_SECRET',
    kind: word,
    default: undefined,
    secret: true,
    requiredBy: 'aws',
    about: 'AWS: the secret access key. It needs sms-voice:SendTextMessage and nothing else.',
  }),
  awsSessionToken: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_SESSION_TOKEN',
    kind: word,
    default: undefined,
    secret: true,
    about: 'AWS: the session token that belongs to temporary keys.',
  }),
  awsConfigurationSet: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_CONFIGURATION_SET',
    kind: word,
    default: undefined,
    about: 'AWS: configuration set whose event destination reports deliveries.',
  }),
  awsTopic: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_TOPIC',
    kind: word,
    default: undefined,
    about: 'AWS: ARN of the SNS topic that the event destination reports to; its subscription is confirmed by itself.',
  }),
  awsUrl: setting<string | undefined>({
    env: 'LEDGERLINE_AWS_URL',
    kind: url('https', 'http'),
    default: undefined,
    defaultText: 'https://sms-voice.REGION.amazonaws.com',
    httpsOnly: true,
    about: 'AWS: where its API is.',
  }),
  webhookUrl: setting<string | undefined>({
    env: 'LEDGERLINE_WEBHOOK_URL',
    kind: url('https', 'http'),
    default: undefined,
    requiredBy: 'webhook',
    httpsOnly: true,
    about: 'Webhook: address that messages are posted to.',
  }),
  webhookSecret: setting<string | undefined>({
    env: 'LEDGERLINE_WEBHOOK_SECRET',
    kind: webhookSecret,
    default: undefined,
    secret: true,
    requiredBy: 'webhook',
    about: 'Webhook: secret that signs messages and receipts (Standard Webhooks).',
  }),
  smppUrl: setting<string | undefined>({
    env: 'LEDGERLINE_SMPP_URL',
    kind: smppUrl,
    default: undefined,
    requiredBy: 'smpp',
    about: 'SMPP: smpp://system-id@host:port, or smpps:// for TLS.',
  }),
  smppPassword: setting<string | undefined>({
    env: 'LEDGERLINE_SMPP_PASSWORD',
    kind: smppPassword,
    default: undefined,
    secret: true,
    requiredBy: 'smpp',
    about: 'SMPP: the password, of at most 8 characters.',
  }),
  smppSystemType: setting({
    env: 'LEDGERLINE_SMPP_SYSTEM_TYPE',
    kind: text,
    default: '',
    defaultText: 'none',
    about: 'SMPP: the system type, where the SMSC wants one.',
  }),
  smppWindow: setting({
    env: 'LEDGERLINE_SMPP_WINDOW',
    kind: integer(1, 1000),
    default: 50,
    about: 'SMPP: messages that may wait for the SMSC’s answer at once.',
  }),
};
