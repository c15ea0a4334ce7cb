/** Challenges: a send that the rule about ranges would refuse passes with a proof, once. */
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, solveChallenge } from '../../client/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configuredModes } from '../../src/guard/rules.ts';
import { openDetected } from '../../src/db/citus/citus.ts';
import { createGuardStore } from '../../src/guard/guard.store.ts';
import { readLimits } from '../../src/guard/limits.ts';
import { createSweeper } from '../../src/guard/sweeper.ts';
import { newPhone, refusal, serviceForTest, startService, type Answer, type Service } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const attestationKey = randomBytes(32);
/** Codes that a range may be sent by newcomers; with a proof it is as many again, and for established users too. */
const share = 3;

let service: Service;
beforeAll(async () => {
  service = await startService({
    LEDGERLINE_RULES: '*=off,user-sends=enforce,prefix=enforce,challenge=enforce',
    LEDGERLINE_LIMITS: 'user-sends=5/10m',
    LEDGERLINE_RANGES: `4=${share},5=5000,6=5000,7=5000,country=5000`,
    LEDGERLINE_CHALLENGE_WORK: '400',
    LEDGERLINE_ATTESTATION_KEY: attestationKey.toString('base64'),
  });
});
afterAll(() => service.stop());

let lastRange = 0;
/** Numbers of a range that no other test uses. */
function newRange(): () => string {
  const range = `+447400${String((lastRange += 1)).padStart(2, '0')}`;
  let last = 0;
  return () => `${range}${String((last += 1)).padStart(4, '0')}`;
}

const sendWith = (headers: Record<string, string>, id: number, phoneNumber: string) =>
  service.call('/User/phone-number/send-code', { id, phoneNumber }, { headers });

/** A range that newcomers have used up. */
async function fullRange(): Promise<() => string> {
  const newNumber = newRange();
  for (let call = 0; call < share; call += 1) {
    expect((await service.sendCode(await service.createUser(), newNumber())).status).toBe(204);
  }
  return newNumber;
}

const reasonOf = ({ status, headers }: Answer) => [status, headers.get('error-reason')];
const challenged = [429, 'challenge-required'];

async function solutionFor(id: number, phoneNumber: string): Promise<string> {
  const answer = await service.sendCode(id, phoneNumber);
  expect(reasonOf(answer)).toEqual(challenged);
  return (await solveChallenge(answer.headers.get('challenge')!))!;
}

const solved = (solution: string) => ({ 'challenge-solution': solution });

function attest(id: number, phoneNumber: string, { key = attestationKey, expiresInSeconds = 60, nonce = '' } = {}) {
  const expires = Math.floor(Date.now() / 1000) + expiresInSeconds;
  const once = nonce || randomBytes(16).toString('hex');
  const statement = ['v1', id, phoneNumber, expires, once].join('\n');
  return { attestation: `v1.${expires}.${once}.${createHmac('sha256', key).update(statement).digest('base64url')}` };
}

/** How many sends have passed by a proof of this kind, by the service's metrics. */
async function countPassed(kind: string): Promise<number> {
  const { text } = await service.call('/metrics', undefined, { method: 'GET', token: null });
  return Number(new RegExp(`proofs_total\\{kind="${kind}"\\} (\\d+)`).exec(text)![1]);
}

const countProofs = async () => (await service.sql`select count(*)::int as count from guard_proofs`)[0]!.count;

describe('the solution of a challenge', () => {
  it('passes where the range refuses newcomers', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const refused = await service.sendCode(id, phoneNumber);
    expect(reasonOf(refused)).toEqual(challenged);
    expect(refused.json).toEqual(
      refusal(429, 'Too Many Requests', 'A challenge must be solved before another code is sent.'),
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(60);
    const solution = (await solveChallenge(refused.headers.get('challenge')!))!;
    const sent = await sendWith(solved(solution), id, phoneNumber);
    expect([sent.status, sent.headers.get('code-length')]).toEqual([204, '6']);
    expect((await service.verify(id, await service.lastCode(phoneNumber))).status).toBe(200);
  });

  it('is valid once, for its user and its number', async () => {
    const newNumber = await fullRange();
    const [[id, other], phoneNumber] = [[await service.createUser(), await service.createUser()], newNumber()];
    const solution = await solutionFor(id, phoneNumber);
    expect(reasonOf(await sendWith(solved(solution), other, phoneNumber))).toEqual(challenged);
    expect(reasonOf(await sendWith(solved(solution), id, newNumber()))).toEqual(challenged);
    expect((await sendWith(solved(solution), id, phoneNumber)).status).toBe(204);
    expect(reasonOf(await sendWith(solved(solution), id, phoneNumber))).toEqual(challenged);
  });

  it('must be right', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const solution = await solutionFor(id, phoneNumber);
    const [token = '', ...numbers] = solution.split('.');
    const wrong = [
      '',
      token,
      `${token}${'.7777777777'.repeat(16)}`,
      [token, ...numbers.slice(1)].join('.'),
      [token, ...numbers, '1'].join('.'),
      [`${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`, ...numbers].join('.'),
      [`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, ...numbers].join('.'),
      'x'.repeat(5000),
    ];
    for (const given of wrong) {
      expect(reasonOf(await sendWith(solved(given), id, phoneNumber))).toEqual(challenged);
    }
    expect((await sendWith(solved(solution), id, phoneNumber)).status).toBe(204);
  });

  it('allows sends from the reserve only, and not from the share of established users', async () => {
    const newNumber = await fullRange();
    for (let call = 0; call < share; call += 1) {
      const [id, phoneNumber] = [await service.createUser(), newNumber()];
      const solution = await solutionFor(id, phoneNumber);
      expect((await sendWith(solved(solution), id, phoneNumber)).status).toBe(204);
    }
    const refused = await service.sendCode(await service.createUser(), newNumber());
    expect([...reasonOf(refused), refused.headers.get('challenge')]).toEqual([429, 'too-many-sends', null]);
    const established = await service.createUser();
    await service.sql`update users set created_at = ${new Date(Date.now() - 8 * 86_400_000)} where id = ${established}`;
    expect((await service.sendCode(established, newNumber())).status).toBe(204);
  });

  it('is not asked for from a user who has verified a phone before', async () => {
    const newNumber = await fullRange();
    const known = await service.verifiedUser(newRange()());
    await service.call(`/User/${known}/phone-number`, undefined, { method: 'DELETE' });
    expect((await service.sendCode(known, newNumber())).status).toBe(204);
    expect(reasonOf(await service.sendCode(await service.createUser(), newNumber()))).toEqual(challenged);
  });

  it('is not asked for, nor used up, where another rule refuses', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const solution = await solutionFor(id, phoneNumber);
    for (let call = 0; call < 5; call += 1) expect((await service.sendCode(id, newRange()())).status).toBe(204);
    const before = await countProofs();
    expect(reasonOf(await sendWith(solved(solution), id, phoneNumber))).toEqual([429, 'too-many-sends']);
    expect(await countProofs()).toBe(before);
  });

  it('serves a resend too', async () => {
    const newNumber = newRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    expect((await service.sendCode(id, phoneNumber)).status).toBe(204);
    for (let call = 1; call < share; call += 1) await service.sendCode(await service.createUser(), newNumber());
    const path = `/User/${id}/phone-number/resend-code`;
    const refused = await service.call(path);
    expect(reasonOf(refused)).toEqual(challenged);
    const headers = solved((await solveChallenge(refused.headers.get('challenge')!))!);
    expect((await service.call(path, undefined, { headers })).status).toBe(204);
  });
});

describe('an attestation', () => {
  it('passes at once, and is valid once', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const statement = attest(id, phoneNumber);
    const before = await countPassed('attestation');
    expect((await sendWith(statement, id, phoneNumber)).status).toBe(204);
    expect(reasonOf(await sendWith(statement, id, phoneNumber))).toEqual(challenged);
    expect(await countPassed('attestation')).toBe(before + 1);
  });

  it('is bound to user, number, key and time', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const refused = [
      attest(id + 1, phoneNumber),
      attest(id, newNumber()),
      attest(id, phoneNumber, { key: randomBytes(32) }),
      attest(id, phoneNumber, { expiresInSeconds: -1 }),
      attest(id, phoneNumber, { expiresInSeconds: 4000 }),
      attest(id, phoneNumber, { nonce: 'short' }),
    ];
    for (const statement of refused) {
      expect(reasonOf(await sendWith(statement, id, phoneNumber))).toEqual(challenged);
    }
    // Two back ends may choose the same nonce for two users.
    const nonce = 'n'.repeat(20);
    expect((await sendWith(attest(id, phoneNumber, { nonce }), id, phoneNumber)).status).toBe(204);
    const [other, otherNumber] = [await service.createUser(), newNumber()];
    expect((await sendWith(attest(other, otherNumber, { nonce }), other, otherNumber)).status).toBe(204);
  });
});

describe('the client', () => {
  const clientOf = (more: object = {}) =>
    createClient({ baseUrl: service.url, token: () => service.token(), resendSeconds: 0, ...more });

  it('solves a challenge by itself', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const client = clientOf();
    const sent = { alreadyVerified: false, codeLength: 6, expiresInSeconds: 600 };
    expect(await client.sendCode({ id, phoneNumber })).toEqual(sent);
    expect(await client.resendCode(id)).toEqual(sent);
    await expect(client.sendCode({ id, phoneNumber }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: 'aborted',
    });
  });

  it('passes on an attestation', async () => {
    const newNumber = await fullRange();
    const [id, phoneNumber] = [await service.createUser(), newNumber()];
    const client = clientOf({ solveChallenge: false });
    await expect(client.sendCode({ id, phoneNumber })).rejects.toMatchObject({
      kind: 'too-many',
      reason: 'challenge-required',
      challenge: expect.stringMatching(/^proof-of-work /),
    });
    expect(await client.sendCode({ id, phoneNumber }, attest(id, phoneNumber))).toMatchObject({ codeLength: 6 });
  });

  it('leaves a challenge of another kind to the caller', async () => {
    for (const challenge of ['captcha key=1', `proof-of-work token=${'a'.repeat(64)}; puzzles=16; below=0`, '']) {
      expect(await solveChallenge(challenge)).toBeUndefined();
    }
  });
});

describe('the rule', () => {
  const evidence = /^range \+447400\d\d was sent \d codes in the last hour/;
  const setMode = (mode: string) => service.call('/operator/guard/mode', { rule: 'challenge', mode });

  it('is off until it is named', () => {
    const modesFor = (rules: string) =>
      configuredModes(true, loadConfig({ LEDGERLINE_RULES: rules, LEDGERLINE_COUNTRIES: 'GB' }).rules);
    expect(modesFor('*=enforce').challenge).toBe('off');
    expect(modesFor('*=off,challenge=shadow').challenge).toBe('shadow');
  });

  it('in shadow records what it would have asked, and the range refuses', async () => {
    const newNumber = await fullRange();
    const id = await service.createUser();
    onTestFinished(async () => void (await setMode('configured')));
    await setMode('shadow');
    expect(reasonOf(await service.sendCode(id, newNumber()))).toEqual([429, 'too-many-sends']);
    await setMode('off');
    expect(reasonOf(await service.sendCode(id, newNumber()))).toEqual([429, 'too-many-sends']);
    await until(async () => {
      const rows = await service.sql`select rule, action from guard_decisions where user_id = ${id}`;
      return rows.length === 3;
    });
    const rows = await service.sql`
      select rule, action, evidence from guard_decisions where user_id = ${id} order by rule`;
    expect(rows.map(({ rule, action }) => [rule, action])).toEqual([
      ['challenge', 'shadow'],
      ['prefix', 'refused'],
      ['prefix', 'refused'],
    ]);
    expect(rows[0]!.evidence).toMatchObject({ level: 'range', name: expect.stringMatching(/^\+447400\d\d$/) });
    // The event of the first refusal in an hour tells it too.
    const events = await service.call('/events?type=guard.rule_fired', undefined, { method: 'GET' });
    const { data } = events.json.events.find((event: { data: { rule: string } }) => event.data.rule === 'challenge');
    expect(data).toMatchObject({ mode: 'enforce', evidence: expect.stringMatching(evidence) });
  });
});

it('a challenge expires, and the rows of used proofs are removed', async () => {
  const newNumber = await fullRange();
  const [id, phoneNumber] = [await service.createUser(), newNumber()];
  const used = await solutionFor(id, phoneNumber);
  expect((await sendWith(solved(used), id, phoneNumber)).status).toBe(204);
  const late = await solutionFor(id, phoneNumber);
  expect(await countProofs()).toBeGreaterThan(0);
  const now = new Date(Date.parse((await service.advance(301)).json.now));
  expect(reasonOf(await sendWith(solved(late), id, phoneNumber))).toEqual(challenged);
  const db = await openDetected({ url: service.databaseUrl, connections: 3, statementSeconds: 5 });
  const limits = readLimits(loadConfig({}));
  const sweep = createSweeper(createGuardStore(db), limits, { now: () => now });
  while (await sweep());
  await db.close();
  // Another node whose clock is a minute behind must still see that they were used.
  const kept = new Date(now.getTime() - 60_000);
  const [row] = await service.sql`
    select count(*)::int as kept, (count(*) filter (where expires_at <= ${kept}))::int as late from guard_proofs`;
  expect(row!.kept).toBeGreaterThan(0);
  expect(row!.late).toBe(0);
});

describe('a phone that other accounts had texts sent to', () => {
  const serviceWith = (settings: Record<string, string>) =>
    serviceForTest({
      LEDGERLINE_RULES: '*=off,phone-sends=enforce,phone-users=enforce,challenge=enforce',
      LEDGERLINE_CHALLENGE_WORK: '16',
      ...settings,
    });
  const send = (at: Service, id: number, phoneNumber: string, headers: Record<string, string> = {}) =>
    at.call('/User/phone-number/send-code', { id, phoneNumber }, { headers });
  async function sendProven(at: Service, id: number, phoneNumber: string): Promise<Answer> {
    const first = await send(at, id, phoneNumber);
    const challenge = first.headers.get('challenge');
    return challenge ? send(at, id, phoneNumber, solved((await solveChallenge(challenge))!)) : first;
  }
  const bySends = [429, 'too-many-sends'];

  it('three accounts do not lock a newcomer out: a proof allows one send', async () => {
    const at = await serviceWith({});
    const phone = newPhone();
    for (let account = 0; account < 3; account += 1) {
      expect((await send(at, await at.createUser(), phone)).status).toBe(204);
    }
    const id = await at.createUser();
    const refused = await send(at, id, phone);
    expect(reasonOf(refused)).toEqual(challenged);
    const headers = solved((await solveChallenge(refused.headers.get('challenge')!))!);
    expect((await send(at, id, phone, headers)).status).toBe(204);
    expect(reasonOf(await send(at, id, phone, headers))).toEqual(challenged);
    const other = await at.createUser();
    const solution = solved((await solveChallenge((await send(at, other, phone)).headers.get('challenge')!))!);
    expect((await send(at, other, phone, solution)).status).toBe(204);
    expect((await at.verify(other, await at.lastCode(phone))).status).toBe(200);
  });

  it('gets at most three texts a day by proofs above its limit of sends', async () => {
    const at = await serviceWith({ LEDGERLINE_LIMITS: 'phone-sends=4/1d' });
    const phone = newPhone();
    const answers = [];
    for (let account = 0; account < 12; account += 1) answers.push(await sendProven(at, await at.createUser(), phone));
    // Three without a proof; with one, the fourth, and three above the limit, of which the fourth is one.
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(6);
    expect(reasonOf(answers.at(-1)!)).toEqual(bySends);
    expect(await at.messages(phone)).toHaveLength(6);
    await at.advance(86_400);
    at.forgetTokens();
    expect((await sendProven(at, await at.createUser(), phone)).status).toBe(204);
  });

  it('gets no more of them from parallel calls', async () => {
    const at = await serviceWith({ LEDGERLINE_LIMITS: 'phone-sends=4/1d; phone-users=100/25h' });
    const phone = newPhone();
    for (let call = 0; call < 4; call += 1) await send(at, await at.createUser(), phone);
    const ids = await Promise.all(Array.from({ length: 10 }, () => at.createUser()));
    const answers = await Promise.all(ids.map((id) => sendProven(at, id, phone)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(3);
  });

  it('is not opened by a proof where another rule refuses', async () => {
    const at = await serviceWith({
      LEDGERLINE_RULES: '*=off,user-sends=enforce,phone-users=enforce,challenge=enforce',
      LEDGERLINE_LIMITS: 'user-sends=1/10m',
    });
    const phone = newPhone();
    for (let account = 0; account < 3; account += 1) await send(at, await at.createUser(), phone);
    const id = await at.createUser();
    expect((await send(at, id, newPhone())).status).toBe(204);
    expect(reasonOf(await send(at, id, phone))).toEqual(bySends);
  });
});
