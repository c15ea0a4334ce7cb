/** The documentation on a slow phone: slow 4G, and a processor that is four times slower than this one. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { round } from './harness.js';

const candidates = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The profile that Lighthouse uses for phones. */
const slow4g = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 675_000 / 8 };
const slowdown = 4;
/** A task blocks for what it takes above this. */
const blockingMs = 50;

const quietMs = 3000;

const addresses = ['/docs', '/docs/api/send-code', '/docs/production', '/docs/config'];

export async function benchDocs(bench) {
  const executablePath = candidates.find((file) => file && existsSync(file));
  if (!executablePath) return { title: 'Documentation', rows: [], notes: ['No Chromium was installed.'], goals: [] };
  const service = await bench.service();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const rows = [];
    for (const address of addresses)
      rows.push({ what: address, ...(await measurePage(browser, service.url + address)) });
    const largest = (name) => Math.max(...rows.map((row) => row[name]));
    return {
      title: 'The documentation on slow 4G with a processor four times slower (ms)',
      rows,
      columns: { paint: 'largest paint', blocked: 'blocked', kilobytes: 'KB received' },
      goals: [
        { what: 'largest paint of the slowest page, in ms', is: largest('paint'), most: 2500 },
        { what: 'blocking time of the slowest page, in ms', is: largest('blocked'), most: 600 },
      ],
    };
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** In the page: resolves when it has painted something, and nothing more has happened for a while. */
async function quiet(forMs) {
  const state = () => JSON.stringify(globalThis.seen);
  for (;;) {
    const before = state();
    await new Promise((resolve) => setTimeout(resolve, forMs));
    if (globalThis.seen.paint > 0 && state() === before) return globalThis.seen;
  }
}

/** The largest contentful paint, and how long tasks blocked the page until it was quiet. Nothing is cached. */
export async function measurePage(browser, url) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', slow4g);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.addInitScript(() => {
      globalThis.seen = { paint: 0, tasks: [] };
      new PerformanceObserver((list) => (globalThis.seen.paint = list.getEntries().at(-1).startTime)).observe({
        type: 'largest-contentful-paint',
        buffered: true,
      });
      new PerformanceObserver((list) =>
        globalThis.seen.tasks.push(...list.getEntries().map((task) => task.duration)),
      ).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(url, { timeout: 120_000 });
    const { paint, tasks } = await page.evaluate(quiet, quietMs);
    const blocked = tasks.reduce((sum, duration) => sum + Math.max(0, duration - blockingMs), 0);
    return { paint: round(paint), blocked: round(blocked), kilobytes: round(bytes / 1000) };
  } finally {
    await context.close();
  }
}
