/**
 * Takes screenshots of every page for the documentation: `npm run screenshots`, or `npm run screenshots console` for those
 * whose names start with that word. Needs an installed Chromium, or CHROMIUM=path.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { startApp } from '../dist/app/start.js';
import { loadConfig } from '../dist/config/load.js';
import { freePort } from '../dist/free-port.js';
import { liveAWeek, playGateways } from './busy-week.js';

const wanted = process.argv[2] ?? '';
const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = candidates.find((file) => file && existsSync(file));
if (!executablePath) throw new Error('No Chromium found: install one, or set CHROMIUM to its path.');

const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-screenshots-'));
const start = (name, settings = {}) =>
  startApp({
    config: loadConfig({ PORT: '0', DATA_DIR: path.join(folder, name), LEDGERLINE_LOG_LEVEL: 'error', ...settings }),
    log: (line) => process.stderr.write(line),
    terminal: () => {},
    logFormat: 'text',
  });
let app = await start('data');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], env: await fontEnvironment() });

/** The fonts of the test browser's package, so that pictures look the same on every machine. */
async function fontEnvironment() {
  const bin = path.join(path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../bin');
  const input = brotliDecompressSync(await readFile(path.join(bin, 'fonts.tar.br')));
  execFileSync('tar', ['xf', '-', '-C', folder], { input });
  const config = path.join(folder, 'fonts.conf');
  const dirs = [`${folder}/fonts`, '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  const preferred = [
    ['system-ui', 'Open Sans'],
    ['sans-serif', 'Open Sans'],
    ['ui-monospace', 'DejaVu Sans Mono'],
    ['monospace', 'DejaVu Sans Mono'],
  ]
    .map(
      ([name, font]) =>
        `<alias binding="strong"><family>${name}</family><prefer><family>${font}</family></prefer></alias>`,
    )
    .join('');
  await writeFile(
    config,
    `<?xml version="1.0"?><fontconfig>${dirs}${preferred}<cachedir>${folder}/cache</cachedir></fontconfig>`,
  );
  return { ...process.env, FONTCONFIG_FILE: config };
}

const desk = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

async function picture(name, address, { viewport, colorScheme = 'light', prepare, ...more }) {
  if (!name.startsWith(wanted)) return;
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...more,
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(name, error.message));
  page.on('console', (message) => message.type() === 'error' && console.error(name, message.text()));
  await page.goto(app.url + address);
  await prepare?.(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(images, `${name}.png`) });
  await context.close();
}

const safe = [
  ['prefix', '+447700'],
  ['number', '+447400120003'],
  ['number', '+4915123420007'],
];

const listed = (page) => page.locator('button.row').first().waitFor();

try {
  await mkdir(images, { recursive: true });
  await picture('wallet', '/wallet', { viewport: desk, prepare: listed });
  await picture('wallet-dark', '/wallet', { viewport: desk, colorScheme: 'dark', prepare: listed });
  await picture('wallet-phone', '/wallet', { viewport: phone, prepare: listed });
  await picture('wallet-detail', '/wallet', {
    viewport: desk,
    async prepare(page) {
      await listed(page);
      await page.locator('button.row').nth(2).click();
    },
  });
  await picture('wallet-filters', '/wallet?type=CARD&amountFrom=10', {
    viewport: phone,
    colorScheme: 'dark',
    async prepare(page) {
      await listed(page);
      await page.getByRole('button', { name: /^Filters/ }).click();
    },
  });
  const number = async (page, typed = '07400 123456') => {
    await page.getByLabel('Phone number').fill(typed);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page
      .getByRole('button', { name: /^Use \d/ })
      .first()
      .waitFor();
  };
  const verified = async (page) => {
    await number(page, '07400 123457');
    await page
      .getByRole('button', { name: /^Use \d/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Verified' }).waitFor();
  };
  await picture('sandbox', '/', { viewport: { ...desk, height: 980 }, prepare: number });
  await picture('sandbox-dark', '/', { viewport: { ...desk, height: 980 }, colorScheme: 'dark', prepare: verified });
  await picture('sandbox-phone', '/', { viewport: phone });

  await app.stop();
  const gateways = await playGateways();
  // Receipts are requested only by a service that knows its own address.
  const port = await freePort();
  app = await start('week', { ...gateways.settings, PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` });
  const blocked = await liveAWeek(app.url, gateways);
  gateways.stop();
  await picture('console', '/console', {
    viewport: { ...desk, height: 1080 },
    prepare: (page) => page.locator('.tile').first().waitFor(),
  });
  await picture('console-guard', '/console#guard', {
    viewport: { ...desk, height: 980 },
    colorScheme: 'dark',
    prepare: (page) => page.getByRole('button', { name: 'mode of prefix' }).waitFor(),
  });
  await picture('console-phone', '/console', {
    viewport: phone,
    colorScheme: 'dark',
    prepare: (page) => page.locator('.tile').first().waitFor(),
  });
  await picture('console-safe-list', '/console#safe-list', {
    viewport: { ...desk, height: 720 },
    async prepare(page) {
      for (const [kind, text] of safe) {
        await page.getByLabel('Kind').selectOption(kind);
        await page.getByLabel(kind === 'prefix' ? 'Prefix' : 'Phone number').fill(text);
        await page.getByRole('button', { name: 'Add' }).click();
        await page
          .getByRole('row')
          .filter({ hasText: text.slice(-2) })
          .waitFor();
      }
    },
  });
  await picture('console-customer', `/console#customer/${blocked}`, {
    viewport: { ...desk, height: 1240 },
    prepare: (page) => page.locator('.trail').first().waitFor(),
  });
} finally {
  await browser.close();
  await app.stop();
  await rm(folder, { recursive: true, force: true });
}
