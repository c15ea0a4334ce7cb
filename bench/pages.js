/** The activity screen: first paint, first rows, and scrolling through 100,000 rows. Recorded without a target. */
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { importFile, ndjsonRow, randomSource, round } from './harness.js';

const rows = 100_000;
const individual = 400_001;
const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function benchPages(bench) {
  const executablePath = candidates.find((file) => file && existsSync(file));
  if (!executablePath) return { title: 'Pages', rows: [], notes: ['No Chromium was installed.'], goals: [] };
  await bench.sql`insert into users (id, created_at) values (${individual}, now())`;
  const file = path.join(bench.folder, 'pages.ndjson');
  const target = createWriteStream(file);
  const random = randomSource(17);
  for (let number = 0; number < rows; number += 1) {
    if (!target.write(ndjsonRow(random, individual, number, Date.UTC(2024, 0, 1) + number * 600_000))) {
      await once(target, 'drain');
    }
  }
  target.end();
  await once(target, 'finish');
  await importFile(bench, file);
  const service = await bench.service();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      globalThis.longTasks = [];
      new PerformanceObserver((list) =>
        globalThis.longTasks.push(...list.getEntries().map((task) => task.duration)),
      ).observe({
        type: 'longtask',
        buffered: true,
      });
    });
    await page.goto(`${service.url}/wallet?individual=${individual}`);
    await page.locator('button.row').first().waitFor();
    const loaded = await page.evaluate(() => ({
      firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      firstRows: performance.now(),
      longest: Math.max(0, ...globalThis.longTasks.splice(0)),
    }));
    const scrolled = await page.evaluate(async () => {
      const frames = [];
      // The element scrolls itself, not the page.
      const list = document.querySelector('ledgerline-activity');
      let last = performance.now();
      for (let step = 0; step < 180; step += 1) {
        list.scrollBy(0, 900);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        frames.push(performance.now() - last);
        last = performance.now();
      }
      frames.sort((a, b) => a - b);
      if (list.scrollTop === 0) throw new Error('nothing was scrolled');
      return { p50: frames[90], p95: frames[171], longest: Math.max(0, ...globalThis.longTasks) };
    });
    return {
      title: `The activity screen with ${rows.toLocaleString('en')} rows (ms)`,
      rows: [
        { what: 'first contentful paint', value: round(loaded.firstPaint) },
        { what: 'first rows shown', value: round(loaded.firstRows) },
        { what: 'longest task while loading', value: round(loaded.longest) },
        { what: 'frame while scrolling, p50', value: round(scrolled.p50, 1) },
        { what: 'frame while scrolling, p95', value: round(scrolled.p95, 1) },
        { what: 'longest task while scrolling', value: round(scrolled.longest) },
      ],
      columns: { value: 'ms' },
      goals: [],
    };
  } finally {
    await browser.close();
    await service.stop();
  }
}
