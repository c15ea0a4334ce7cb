/** Values from the schemas of the OpenAPI document, and values that no schema allows. */

/** What has broken readers before, here or elsewhere. */
export const oddValues = [
  null,
  '',
  ' ',
  'x',
  'null',
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  -1e308,
  2_147_483_647,
  2_147_483_648,
  -2_147_483_649,
  9_007_199_254_740_992,
  '2147483648',
  '-0',
  '1e5',
  '0x10',
  'NaN',
  '∞',
  '１２３',
  [],
  [[]],
  [null],
  {},
  { a: 1 },
  '\u0000',
  'a\u0000b',
  '\uFFFF',
  '\uD800',
  '🙂',
  'é'.repeat(300),
  'x'.repeat(3000),
  'x'.repeat(70_000),
  // Readers that look at the same characters again and again take long for these.
  '\n'.repeat(2000),
  `${' \t'.repeat(1000)}=`,
  '9'.repeat(200_000),
  "'; drop table users; --",
  '%',
  '_',
  '\\',
  '$1',
  '{0}',
  '${x}',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999+14:00',
  '10000-01-01',
  '2026-02-30',
  '2026-13-45',
  '-infinity',
  '+1234567890123456789',
  '+4479111000001',
  'US/Pacific-New',
  'CTT',
  '__proto__',
  'constructor',
  'toString',
];

/** By the name of a member, values that lead further than a random one. `known` holds ids that exist. */
const byName = {
  id: (random, known) => random.pick(known.users),
  userId: (random, known) => random.pick(known.users),
  individualId: (random, known) => random.pick(known.users),
  user_id: (random, known) => random.pick(known.users),
  transactionId: (random, known) => random.pick(known.transactions),
  confirmationId: (random, known) => random.pick(known.confirmations),
  purpose: (random) => random.pick(['payment', 'login', 'change-phone']),
  payee: (random) => random.pick(['Corner Shop', 'Café', 'evil.example {code}', 'x'.repeat(140)]),
  phoneNumber: (random) => `+4479${String(random.integer(0, 99_999_999)).padStart(8, '0')}`,
  code: (random) => String(random.integer(0, 999_999)).padStart(6, '0'),
  amount: (random) => random.pick(['1', '12.50', 3, 0.25, '99999999999999999999.999999']),
  amountFrom: (random) => random.pick(['0', '10.5', '-3']),
  amountTo: (random) => random.pick(['10', '1000.25']),
  currency: (random) => random.pick(['EUR', 'GBP', 'eur']),
  timeStamp: (random) => `2026-0${random.integer(1, 9)}-11T10:0${random.integer(0, 9)}:00Z`,
  timestampFrom: (random) => `2026-0${random.integer(1, 9)}-01`,
  timestampTo: (random) => `2026-1${random.integer(0, 2)}-28T23:59:59Z`,
  timeZone: (random) => random.pick(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Etc/GMT+12']),
  dataBatch: (random) => random.integer(1, 5),
  dataBatchCount: (random) => random.integer(1, 100),
  asOf: (random, known) => random.pick(known.asOf),
  after: (random, known) => random.pick(known.cursors),
  cursor: (random, known) => random.pick(known.cursors),
  senderIban: (random) => random.pick(['DE02120300000000202051', 'GB82 WEST 1234 5698 7654 32', '']),
  senderBic: (random) => random.pick(['COBADEFFXXX', '']),
  cardPan: (random) => random.pick(['411111******1111', '']),
  balanceAfter: (random) => random.pick(['-12.50', 3, '']),
  email: () => 'a@b.example',
  advanceSeconds: () => 0,
  url: () => 'http://127.0.0.1:9/hook',
  locale: (random) => random.pick(['en', 'de', 'pt-BR', 'zz']),
  prefix: (random) => `+44${random.integer(1000, 9999)}`,
};

export function createValues(document, random, known) {
  function resolve(schema) {
    if (!schema?.$ref) return schema ?? {};
    return resolve(document.components.schemas[schema.$ref.split('/').at(-1)]);
  }

  function validValue(schema, name, depth = 0) {
    const named = byName[name];
    if (named && random.isTrue(0.9)) return named(random, known);
    const { type, enum: options, properties, items, minimum, maximum, example, oneOf, anyOf, allOf } = resolve(schema);
    if (options) return random.pick(options);
    const choice = oneOf ?? anyOf ?? allOf;
    if (choice) return validValue(random.pick(choice), name, depth);
    if (example !== undefined && random.isTrue(0.5)) return example;
    const kinds = [type].flat();
    const kind = random.pick(kinds);
    if (kind === 'integer' || kind === 'number') {
      return random.integer(Math.max(minimum ?? 0, -1000), Math.min(maximum ?? 1000, 5000));
    }
    if (kind === 'boolean') return random.isTrue(0.5);
    if (kind === 'null') return null;
    if (kind === 'array') {
      return Array.from({ length: random.integer(0, depth > 2 ? 1 : 4) }, () => validValue(items, name, depth + 1));
    }
    if (properties) return validObject(resolve(schema), depth + 1);
    if (kind === 'object') return { any: 'thing' };
    return random.pick(['x', 'word', '2026-01-01', '17']);
  }

  function validObject({ properties = {}, required = [] }, depth = 0) {
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || random.isTrue(0.4))
        .map(([name, schema]) => [name, validValue(schema, name, depth)]),
    );
  }

  return { validValue, resolve };
}

/** Changes one thing, at any depth. */
export function mutateValue(value, random) {
  if (Array.isArray(value) && value.length > 0 && random.isTrue(0.7)) {
    const index = random.integer(0, value.length - 1);
    return value.map((item, place) => (place === index ? mutateValue(item, random) : item));
  }
  if (value && typeof value === 'object' && random.isTrue(0.9)) {
    const names = Object.keys(value);
    if (names.length === 0) return random.pick(oddValues);
    const name = random.pick(names);
    const { [name]: changed, ...others } = value;
    if (random.isTrue(0.15)) return others;
    if (random.isTrue(0.1)) return { ...others, [random.isTrue(0.5) ? name.toUpperCase() : `${name}x`]: changed };
    return { ...others, [name]: mutateValue(changed, random) };
  }
  return random.pick(oddValues);
}

/** Changes the bytes of a text: inserts, removes, repeats. */
export function mutateBytes(bytes, random) {
  const at = random.integer(0, bytes.length);
  const cut = random.integer(0, 4);
  const inserted = random.isTrue(0.2)
    ? bytes.subarray(0, random.integer(0, bytes.length))
    : Buffer.from(Array.from({ length: random.integer(0, 4) }, () => random.integer(0, 255)));
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + cut)]);
}
