/** Keys and clients in the settings: how several are given, and what is refused. */
import { inject, describe, expect, it } from 'vitest';
import { createTokens } from '../src/app/tokens.ts';
import { makeSigningKey, readSigningKeys } from '../src/auth/keys.ts';
import { loadConfig } from '../src/config/load.ts';
import { ServiceClock } from '../src/values/clock.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function problemOf(env: Record<string, string>): string {
  try {
    loadConfig(env);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('several signing keys', () => {
  const first = inject('signingKey');
  const second = makeSigningKey();
  const idsOf = async (value: string) =>
    (await readSigningKeys(loadConfig({ LEDGERLINE_SIGNING_KEY: value }).signingKey!)).map(({ id }) => id);

  it.each([0, 1, 2])('are separated by commas, however the base64 of the first one ends (%i)', async (padding) => {
    const other = await second;
    // Its length decides how many `=` the base64 ends with.
    const padded = first + '\n'.repeat(padding);
    const expected = [...(await idsOf(first)), ...(await idsOf(other))];
    expect(await idsOf(`${base64(padded)},${base64(other)}`)).toEqual(expected);
    expect(await idsOf(`${padded},${base64(other)}`)).toEqual(expected);
    expect(await idsOf(base64(padded + other))).toEqual(expected);
    expect(await idsOf((padded + other).replaceAll('\n', '\\n'))).toEqual(expected);
  });

  it('are refused if one of them cannot be read', async () => {
    const line = 'LEDGERLINE_SIGNING_KEY must be PEM with at least one BEGIN PRIVATE KEY, or its base64';
    for (const value of [`${base64(first)},x`, `${base64(first)}=${base64(await second)}`, ',']) {
      expect(problemOf({ LEDGERLINE_SIGNING_KEY: value })).toContain(line);
    }
  });
});

describe('a rotation of the signing key', () => {
  const url = 'https://ledgerline.example.com';
  const startNode = (...pems: string[]) =>
    createTokens(loadConfig({ LEDGERLINE_SIGNING_KEY: pems.map(base64).join(',') }), url, new ServiceClock(), {
      observe: () => {},
    });

  it('takes three rollouts, as docs/production.md says: during each, all nodes accept the tokens of all', async () => {
    const [old, next] = [inject('signingKey'), await makeSigningKey()];
    const nodes = await Promise.all([startNode(old), startNode(old, next), startNode(next, old), startNode(next)]);
    const tokens = await Promise.all(
      nodes.map(async ({ issuer }) => (await issuer!.mint('backend', ['phone'])).access_token),
    );
    for (const [step, { verifier }] of nodes.entries()) {
      for (const token of tokens.slice(Math.max(0, step - 1), step + 2)) {
        expect(await verifier(token)).toMatchObject({ client: 'backend' });
      }
    }
    // In one step, a node that has only the old key would refuse them.
    await expect(nodes[0].verifier(tokens[2]!)).rejects.toThrow();
  });
});

describe('clients', () => {
  const client = (id: string) => ({ id, secretSha256: '0'.repeat(64), scopes: ['phone'] });

  it('may be several lists in base64, separated by commas', () => {
    for (const padding of ['', ' ', '  ']) {
      const value = [JSON.stringify([client('a')]) + padding, JSON.stringify([client('b')])].map(base64).join(',');
      expect(loadConfig({ LEDGERLINE_CLIENTS: value }).clients!.map(({ id }) => id)).toEqual(['a', 'b']);
    }
  });

  it('have different ids', () => {
    const line = 'LEDGERLINE_CLIENTS names the client "a" twice.';
    expect(problemOf({ LEDGERLINE_CLIENTS: JSON.stringify([client('a'), client('b'), client('a')]) })).toBe(line);
    const lists = [[client('a')], [client('a')]].map((list) => base64(JSON.stringify(list)));
    expect(problemOf({ LEDGERLINE_CLIENTS: lists.join(',') })).toBe(line);
  });
});
