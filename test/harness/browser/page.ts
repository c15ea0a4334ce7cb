/** A page in a real browser. Its test fails on errors in the console and on requests to other origins. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, TestRunner } from 'vitest';
import { isFull } from '../size.ts';
import { openBrowser } from './browser.ts';
import { devtoolsOf, takeTab } from './tabs.ts';

export interface OpenOptions extends BrowserContextOptions {
  /** Errors in the console that this test causes on purpose. */
  expected?: RegExp;
  /** Another origin that this page may call. */
  allowed?: string;
  /** What must be there before the page is loaded. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Skips the test if there is no browser. */
export async function openPage(address: string, options: OpenOptions = {}): Promise<Page> {
  const { expected, allowed, prepare, ...contextOptions } = options;
  const browser = await openBrowser();
  if (typeof browser === 'string') return TestRunner.getCurrentTest()!.context.skip(browser);
  const { origin } = new URL(address);
  const { page, giveBack } = await takeTab(browser, contextOptions);
  onTestFinished(({ task }) => giveBack(origin, task.result?.state === 'pass'));
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.origin !== allowed && url.protocol !== 'blob:') elsewhere.push(request.url());
  });
  onTestFinished(() => {
    expect(complaints.filter((text) => !expected?.test(text))).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
  await prepare?.(page);
  await page.goto(address);
  return page;
}

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Less than half as long as `axe.source`, which every page would parse. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Fails on anything that axe finds. Between light and dark only colours differ. A run of axe costs as much as opening a
 * page, so the usual run looks at the dark colours where a test asks for it, once for each kind of page.
 */
export async function expectAccessible(page: Page, { alsoDark = isFull } = {}): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await loadAxe(page);
  for (const colorScheme of alsoDark ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // No rule that is on reads style sheets, which axe would parse again.
    const preload = { assets: ['media'] };
    const options = {
      resultTypes: ['violations'],
      preload,
      ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }),
    };
    const found = await page.evaluate<Finding[]>(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    );
    expect(
      found.map(({ id, impact, nodes }) => [colorScheme, id, impact, nodes[0]?.html, nodes[0]?.failureSummary]),
    ).toEqual([]);
  }
}

/** As a script and not as a text that a script evaluates, which takes half as long again. */
async function loadAxe(page: Page): Promise<void> {
  const devtools = await devtoolsOf(page);
  const { exceptionDetails } = await devtools.send('Runtime.evaluate', { expression: `${axeSource};0` });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
}

/** Nothing scrolls sideways at 320 pixels, neither the page nor an element that scrolls inside it. */
export async function expectNarrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  const wide = await page.evaluate<number[]>(
    `[document.documentElement, document.querySelector('ledgerline-activity')].filter(Boolean).map((box) => box.scrollWidth - 320)`,
  );
  for (const excess of wide) expect(excess).toBeLessThanOrEqual(0);
}

/**
 * Nothing is cut off at the sides of a window of 320 pixels: no element sticks out of it, unless a box around the element
 * hides or scrolls what does not fit on purpose.
 */
export async function expectFits(page: Page): Promise<void> {
  await expectNarrow(page);
  const cut = await page.evaluate<string[]>(`(() => {
    const found = [];
    const isBox = (element) => getComputedStyle(element).overflowX !== 'visible' && !element.matches('dialog, ledgerline-activity');
    function look(parent) {
      for (const element of parent.children) {
        const { left, right, width } = element.getBoundingClientRect();
        if (width > 0 && (left < -1 || right > 321)) found.push(element.tagName + '.' + element.className + ' ' + left + ' ' + right);
        if (element === document.body || !isBox(element)) {
          look(element);
          if (element.shadowRoot) look(element.shadowRoot);
        }
      }
    }
    look(document.documentElement);
    return found;
  })()`);
  expect(cut).toEqual([]);
}

/** Without fonts all text would be 0 pixels wide, and all other tests would pass. */
export async function expectRenderedText(page: Page, name: string): Promise<void> {
  const box = await page.getByRole('heading', { name }).first().boundingBox();
  expect(box!.width).toBeGreaterThan(30);
}

/** The cells of a page's tables, row by row, without the names of the columns. */
export async function tableCells(page: Page): Promise<string[][]> {
  const rows = await page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') })
    .all();
  return Promise.all(rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).map((text) => text.trim())));
}
