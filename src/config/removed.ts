/** Settings that an earlier version had, and what to use instead. The start and `ledgerline doctor` say it. */

const constantOfRanges =
  'is a constant now (src/guard/ranges/range-limits.ts); LEDGERLINE_RANGES=careful, normal or open sets how strict the rule is.';
const constant = 'is a constant now: nobody needed another value. Remove it.';
const partOfBreaker = 'is a part of LEDGERLINE_BREAKER now: failures/pause/longest pause, such as 5/5s/2m.';
const exceptionsOf = (name: string, example: string) =>
  `is a part of ${name} now: the value for all first, then the exceptions, such as ${example}.`;
const partOfUrls = 'is a part of LEDGERLINE_GATEWAY_URLS now, such as twilio=https://api.twilio.com.';

const removed: [instead: string, prefix: string, names: string][] = [
  [
    'is a part of LEDGERLINE_RETENTION_DAYS now, such as trail=90,guard-decisions=30,operator-actions=365,send-keys=1,events=30.',
    'LEDGERLINE_',
    'TRAIL_DAYS DECISION_DAYS ACTION_DAYS SEND_KEY_DAYS EVENTS_DAYS',
  ],
  [
    'is a part of LEDGERLINE_SPEND now, such as message=0.5,day=5000,*=1000,GB=2000.',
    'LEDGERLINE_',
    'MESSAGE_SPEND COUNTRY_SPEND DAY_SPEND',
  ],
  [
    'is replaced by LEDGERLINE_SANDBOX_HOSTS: the names by which the sandbox is called, such as localhost.',
    'LEDGERLINE_',
    'SANDBOX_REMOTE',
  ],
  ['is a tenth of LEDGERLINE_JWKS_REFRESH_SECONDS now. Remove it.', 'LEDGERLINE_', 'JWKS_COOLDOWN_SECONDS'],
  ['is a value of LEDGERLINE_RANGES now, such as 4=20,5=30,6=50,7=100,country=200.', 'LEDGERLINE_', 'RANGE_UNVERIFIED'],
  [
    'is a part of LEDGERLINE_LIMITS now, by the name of the rule, such as user-sends=5/10m,10/1d; one-code=10/1h/1h.',
    'LEDGERLINE_',
    `USER_SENDS ADDRESS_SENDS TOKEN_SENDS PHONE_SENDS PHONE_USERS USER_PHONES USER_FAILURES ADDRESS_FAILURES
     TOKEN_FAILURES PHONE_FAILURES CODE_USERS`,
  ],
  [partOfBreaker, 'LEDGERLINE_BREAKER_', 'FAILURES PAUSE LONGEST_PAUSE'],
  [constant, 'LEDGERLINE_ORDER_', 'WINDOW MESSAGES MARGIN_PERCENT FLOOR_PERCENT'],
  [
    constant,
    'LEDGERLINE_',
    'CLOCK_SKEW_SECONDS CHALLENGE_SECONDS ESTABLISHED_AFTER SLOWEST_READ_BYTES SLOW_READ_SECONDS EVENTS_IN_FLIGHT',
  ],
  [
    constantOfRanges,
    'LEDGERLINE_RANGE_',
    `GROWTH RESERVE_PERCENT UNVERIFIED_PERCENT HOUR_PERCENT HOUR_CODES SENDS CONVERSION PROVEN_CODES PROVEN_PERCENT CONVERSION_CODES KNOWN_CODES
     KNOWN_PERCENT KNOWN_HOUR_PERCENT TOLERANCE_PERCENT HALVINGS HALVING_HOURS RECOVERY_CODES TRIALS TRIAL_PERCENT
     FAILED_PERCENT FAILED_GROWTH_PERCENT FAILED_WEIGHT_PERCENT LIKELY_PERCENT ADDRESS_CODES ADDRESS_PERCENT`,
  ],
  [exceptionsOf('LEDGERLINE_GATEWAYS', 'twilio,vonage; DE=vonage'), 'LEDGERLINE_', 'GATEWAYS_BY_COUNTRY'],
  [exceptionsOf('LEDGERLINE_SENDER', 'Acme; US=+15550001'), 'LEDGERLINE_', 'SENDERS'],
  [exceptionsOf('LEDGERLINE_BRAND', 'Acme; DE=Acme GmbH'), 'LEDGERLINE_', 'BRANDS'],
  [exceptionsOf('LEDGERLINE_LOCALE', 'en; DE=de'), 'LEDGERLINE_', 'LOCALES'],
  ['is a sender now: LEDGERLINE_SENDER=Acme; twilio=MG….', 'LEDGERLINE_', 'TWILIO_SERVICE'],
  [partOfUrls, 'LEDGERLINE_', 'TWILIO_URL VONAGE_URL MESSAGEBIRD_URL AWS_URL'],
  [
    'is a part of LEDGERLINE_VONAGE_SIGNATURE_SECRET now: the method before the secret, such as sha512:SECRET.',
    'LEDGERLINE_',
    'VONAGE_SIGNATURE',
  ],
  [
    'is a part of LEDGERLINE_AWS_CREDENTIALS now: key-id:secret, or key-id:secret:session-token.',
    'LEDGERLINE_AWS_',
    'KEY_ID SECRET SECRET_FILE SESSION_TOKEN SESSION_TOKEN_FILE',
  ],
  [
    'is a part of LEDGERLINE_SMPP_URL now: smpp://system-id@host:port?window=50&system-type=TYPE.',
    'LEDGERLINE_SMPP_',
    'SYSTEM_TYPE WINDOW',
  ],
];

const insteadOf = new Map(
  removed.flatMap(([instead, prefix, names]) => names.split(/\s+/).map((name) => [prefix + name, instead] as const)),
);

/** A sentence about a removed setting, to follow its name. */
export const describeRemoved = (name: string): string | undefined => insteadOf.get(name);
