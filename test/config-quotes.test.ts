/** Environment files: a shell removes the quotes around a value, `docker --env-file` keeps them. Both must give the same. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError, loadConfig } from '../src/config/load.ts';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));

/** The environment after `set -a; . file`. */
async function readByShell(lines: readonly string[]): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-env-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'ledgerline.env');
  await writeFile(file, lines.join('\n'));
  const printed = execFileSync('sh', ['-euc', `set -a; . "${file}"; env -0`], { env: { PATH: process.env.PATH } });
  return asEnvironment(printed.toString().split('\0').filter(Boolean));
}

const asEnvironment = (lines: readonly string[]) =>
  Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));

/** The settings in quotes that pages show, each on a line of a block. */
async function examples(): Promise<string[]> {
  const pages = (await readdir(docs)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(pages.map((page) => readFile(path.join(docs, page), 'utf8')));
  return texts.flatMap((text) => [...text.matchAll(/^(LEDGERLINE_\w+='[^'\n]*')/gm)].map(([, line]) => line!));
}

it('examples in quotes mean the same to a shell and to container platforms', async () => {
  const lines = await examples();
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const kept = asEnvironment([line]);
    expect(Object.values(kept)[0]).toMatch(/^'.*'$/);
    expect(loadConfig(kept)).toEqual(loadConfig(await readByShell([line])));
  }
});

it('every kind of setting may be in quotes, MODE and secrets too', () => {
  const quoted = { MODE: "'production'", PORT: '"81"', LEDGERLINE_TWILIO_TOKEN: "'hunter2'", LEDGERLINE_BRAND: "''" };
  const plain = { MODE: 'production', PORT: '81', LEDGERLINE_TWILIO_TOKEN: 'hunter2' };
  expect(loadConfig(quoted)).toEqual(loadConfig(plain));
});

it.each([`"{\\"en\\": 1}"`, `'it'\\''s'`, '"$HOME"'])(
  'quotes that a shell reads in another way are refused: %s',
  (value) => {
    expect(() => loadConfig({ LEDGERLINE_BRAND: value })).toThrow(
      new ConfigError([
        'LEDGERLINE_BRAND is in quotes, which are part of the value here. docs/production.md, "Keys and settings", says ' +
          'how to write it.',
      ]),
    );
  },
);
