/**
 * Takes pictures of every page in every state into `screenshots/`, light and dark, 1280 and 390 pixels wide, and also 320
 * pixels wide and in forced colours, and copies those that README and docs show to `docs/images/`, with the tour. Needs an installed Chromium, or CHROMIUM=path.
 * `npm run screenshots wallet`: only states whose names start so, and no tour. `npm run screenshots -- --shown`: only the
 * pictures that README and docs show.
 */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '../dist/app/start.js';
import { loadConfig } from '../dist/config/load.js';
import { freePort } from '../dist/network/free-port.js';
import { launchBrowser } from './screenshots/browser.js';
import { liveAWeek, playGateways } from './screenshots/busy-week.js';
import { consoleStates, sandboxStates, shown } from './screenshots/states.js';
import { createTour } from './screenshots/tour.js';

const words = process.argv.slice(2);
const isShownOnly = words.includes('--shown');
const prefix = words.find((word) => !word.startsWith('--')) ?? '';
const pictures = fileURLToPath(new URL('../screenshots/', import.meta.url));
const images = fileURLToPath(new URL('../docs/images/', import.meta.url));

const variants = [
  ...['light', 'dark'].flatMap((look) => [1280, 390].map((width) => ({ look, width }))),
  { look: 'light', width: 320 },
  { look: 'forced', width: 1280 },
];
const heights = { 1280: 860, 390: 844, 320: 640 };

const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-screenshots-'));
const start = (name, settings = {}) =>
  startApp({
    config: loadConfig({ PORT: '0', DATA_DIR: path.join(folder, name), LEDGERLINE_LOG_LEVEL: 'error', ...settings }),
    log: (line) => process.stderr.write(line),
    terminal: () => {},
    logFormat: 'text',
  });

const shownFile = (state, { look, width }) =>
  shown.find((entry) => entry.state === state && entry.look === look && entry.width === width)?.file;

async function takePicture(url, { name, address, height, prepare }, variant) {
  const { look, width } = variant;
  const context = await browser.newContext({
    viewport: { width, height: (width === 1280 && height) || heights[width] },
    colorScheme: look === 'dark' ? 'dark' : 'light',
    forcedColors: look === 'forced' ? 'active' : 'none',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(name, error.message));
  await page.goto(url + address);
  await prepare?.(page);
  await page.evaluate('scrollTo(0, 0)');
  await page.waitForTimeout(400);
  const file = path.join(pictures, `${name}-${look}-${width}.png`);
  await page.screenshot({ path: file });
  await context.close();
  const image = shownFile(name, variant);
  if (image) await copyFile(file, path.join(images, `${image}.png`));
}

/** A state that cannot be reached is reported, and the others are taken. */
async function takePictures(url, states) {
  for (const state of states.filter(({ name }) => name.startsWith(prefix))) {
    for (const variant of variants) {
      if (isShownOnly && !shownFile(state.name, variant)) continue;
      try {
        await takePicture(url, state, variant);
      } catch (error) {
        console.error(`${state.name}, ${variant.look}, ${variant.width}: ${error.message}`);
        process.exitCode = 1;
      }
    }
  }
}

const browser = await launchBrowser(folder);
const tour = createTour(browser);
let app;
try {
  await mkdir(pictures, { recursive: true });
  await mkdir(images, { recursive: true });
  app = await start('data');
  if (prefix === '') {
    await tour.showSandbox(app.url);
    await tour.showWallet(app.url);
  }
  await takePictures(app.url, sandboxStates);
  await app.stop();

  const gateways = await playGateways();
  // Receipts are requested only by a service that knows its own address.
  const port = await freePort();
  app = await start('week', { ...gateways.settings, PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` });
  const blocked = await liveAWeek(app.url, gateways);
  gateways.stop();
  await takePictures(app.url, consoleStates(blocked));
  if (prefix === '') {
    await tour.showConsole(app.url);
    await tour.save(path.join(images, 'tour.webp'));
  }
} finally {
  await browser.close();
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
}
