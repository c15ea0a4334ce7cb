/** Every language of pages and elements: complete, and drawn without overflow. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as ar from '../../web/intl/languages/ar.ts';
import * as de from '../../web/intl/languages/de.ts';
import * as en from '../../web/intl/languages/en.ts';
import * as es from '../../web/intl/languages/es.ts';
import * as fr from '../../web/intl/languages/fr.ts';
import * as it_ from '../../web/intl/languages/it.ts';
import * as ja from '../../web/intl/languages/ja.ts';
import { languageNames, languages, type Language } from '../../web/intl/languages/languages.ts';
import * as pt from '../../web/intl/languages/pt.ts';
import { expectAccessible, expectFits, openPage } from '../harness/browser/page.ts';
import { newPhone, startService, type Service } from '../harness/service.ts';
import { isFull, sized } from '../harness/size.ts';

const files = { en, de, fr, es, pt, it: it_, ar, ja };

type Texts = Record<string, unknown>;

/** Every text by its path. Functions are called with marks, which must come back in the text. */
function flatten(texts: Texts, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(texts)) {
    const path = `${prefix}${name}`;
    if (typeof value === 'string') found.set(path, value);
    else if (typeof value === 'function') found.set(path, callWithMarks(value as (...marks: string[]) => string));
    else for (const [inner, text] of flatten(value as Texts, `${path}.`)) found.set(inner, text);
  }
  return found;
}

function callWithMarks(text: (...marks: string[]) => string): string {
  return text(...Array.from({ length: text.length }, (_, index) => `«${index}»`));
}

const marksOf = (text: string) => [...text.matchAll(/«\d»/g)].map(([mark]) => mark).toSorted();

it('a browser that names a language which Intl refuses gets English', async () => {
  const page = await openPage(`${service.url}/wallet`, {
    prepare: (before) =>
      before.addInitScript(`
        Object.defineProperty(navigator, 'language', { get: () => 'en-US@posix' });
        Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix'] });`),
  });
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
});

it('there is a file for each language', () => {
  expect(Object.keys(files)).toEqual(languages);
});

describe.each(Object.entries(files))('%s', (language, texts) => {
  it.each(['activity', 'code', 'verify', 'confirm', 'page', 'sandbox'] as const)(
    '%s has every text, with everything that it mentions',
    (part) => {
      const english = flatten(files.en[part]);
      const own = flatten(texts[part]);
      expect([...own.keys()].toSorted()).toEqual([...english.keys()].toSorted());
      for (const [path, text] of own) {
        expect([path, text.trim()]).not.toEqual([path, '']);
        expect([path, marksOf(text)]).toEqual([path, marksOf(english.get(path)!)]);
      }
      if (language === 'en') return;
      const same = [...own].filter(([path, text]) => text === english.get(path)).length;
      expect(same).toBeLessThan(own.size / 4);
    },
  );
});

async function expectLanguage(page: Page, language: Language): Promise<void> {
  expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual([
    language,
    language === 'ar' ? 'rtl' : 'ltr',
  ]);
}

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const languageFile = /\/(?:ledgerline-\w+\.)?(ar|de|es|fr|it|ja|pt)[.-][^/]*\.?js$/;

/** Opens a page in a browser of a language, and lists the languages that the page loads. */
async function openIn(language: Language, pathname: string): Promise<{ page: Page; loaded: string[] }> {
  const loaded: string[] = [];
  const page = await openPage(`${service.url}${pathname}`, {
    ...(language !== 'en' && { locale: language === 'de' ? 'de-AT' : language }),
    async prepare(opened) {
      opened.on('request', (request) => {
        const [, name] = languageFile.exec(new URL(request.url()).pathname) ?? [];
        if (name) loaded.push(name);
      });
    },
  });
  return { page, loaded };
}

/** The one with the longest words and the one from right to left; English is on the pages of all other tests. */
const drawnLanguages = sized<readonly Language[]>(['de', 'ar'], languages);

describe.each(drawnLanguages)('the wallet in %s', (language) => {
  it('loads this language alone, has its direction and texts, and fits into 320 pixels in every state', async () => {
    const { page, loaded } = await openIn(language, '/wallet');
    const { title, filters, exportAs, close } = files[language].activity;
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await expectLanguage(page, language);
    expect(await page.title()).toBe(`${title} · Ledgerline`);
    await page.locator('button.row').first().waitFor();
    expect(loaded).toEqual(language === 'en' ? [] : [language]);
    await expectFits(page);
    await page.getByLabel(files[language].page.settings).click();
    await expectFits(page);
    await page.keyboard.press('Escape');
    await page.locator('summary').filter({ hasText: exportAs }).click();
    await expectFits(page);
    await page.keyboard.press('Escape');
    await page.locator('button.row').first().click();
    await page.locator('.history').waitFor();
    await expectFits(page);
    await page.getByRole('button', { name: close }).click();
    await page.getByRole('button', { name: filters, exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await expectFits(page);
    if (language === 'ar') await expectAccessible(page, { alsoDark: true });
  });
});

describe.each(drawnLanguages)('the sandbox page in %s', (language) => {
  it('loads this language alone, has its direction and texts, and fits into 320 pixels in every step', async () => {
    const { page, loaded } = await openIn(language, '/');
    const { sandbox: texts, verify, page: pageTexts } = files[language];
    await page.getByRole('heading', { name: texts.title, level: 1 }).waitFor();
    await expectLanguage(page, language);
    expect(await page.title()).toBe(`${pageTexts.sandbox} · Ledgerline`);
    await page.locator('ledgerline-verify h2').waitFor();
    expect(loaded).toEqual(language === 'en' ? [] : [language]);
    await expectFits(page);
    await page.getByLabel(verify.number).fill(newPhone());
    await page.getByRole('button', { name: verify.send }).click();
    const useButton = page.getByRole('region', { name: texts.phone, exact: true }).getByRole('button');
    await useButton.waitFor();
    await expectFits(page);
    await useButton.click();
    await page.getByRole('button', { name: texts.startOver }).waitFor();
    await page.getByText(texts.codeStates.used).first().waitFor();
    await expectFits(page);
    if (isFull && language === 'ar') await expectAccessible(page);
    await page.locator('.app .primary').click();
    await page.getByText(files[language].confirm.paymentTitle).waitFor();
    await useButton.waitFor();
    await expectFits(page);
    if (language === 'ar') await expectAccessible(page);
  });
});

/** The words of German are the longest. */
it.each(sized<readonly Language[]>(['de'], languages))(
  'a language and colours that a reader chooses are kept on every page, and its header fits at every width, in %s',
  async (language) => {
    const { page, loaded } = await openIn('en', '/wallet');
    await page.locator('button.row').first().waitFor();
    expect(loaded).toEqual([]);
    const settings = page.getByLabel('Language and colours');
    await settings.click();
    await page.getByRole('combobox', { name: 'Colours' }).selectOption('Dark');
    await page.keyboard.press('Escape');
    const choices = page.getByRole('group', { name: 'Language and colours' });
    await choices.waitFor({ state: 'detached' });
    // It also closes when the reader turns to something else.
    await settings.click();
    await choices.waitFor();
    await page.locator('#content').click({ position: { x: 5, y: 5 } });
    await choices.waitFor({ state: 'detached' });
    await settings.click();
    await page.getByRole('combobox', { name: 'Language' }).selectOption(languageNames[language]);
    const { activity, page: texts } = files[language];
    await page.getByRole('heading', { name: activity.title, level: 1 }).waitFor();
    for (const [pathname, own] of [
      ['/wallet', texts],
      ['/', texts],
      ['/console', en.page],
      ['/docs', en.page],
    ] as const) {
      if (pathname !== '/wallet') await page.goto(`${service.url}${pathname}`);
      await page.locator('.page-header').getByRole('link', { name: own.console, exact: true }).waitFor();
      const ground = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('.page-header')).backgroundColor`,
      );
      expect([pathname, ground]).toEqual([pathname, 'rgb(22, 26, 33)']);
      for (const width of sized([320, 480, 700], [320, 420, 480, 600, 700, 720, 800])) {
        await page.setViewportSize({ width, height: 800 });
        const excess =
          await page.evaluate<number>(`Math.max(...[...document.querySelectorAll('.page-header, .page-header *')]
        .filter((part) => !part.closest('.skip')).map((part) => part.getBoundingClientRect().right)) - innerWidth`);
        expect([pathname, width, excess <= 0]).toEqual([pathname, width, true]);
      }
    }
  },
);

it('the form has a language and a direction of its own, whatever the page around it; it shows the last language until the next one is loaded', async () => {
  const { page, loaded } = await openIn('en', '/');
  const title = page.locator('ledgerline-verify h2');
  expect(await title.innerText()).toBe(en.verify.numberTitle);
  expect(loaded).toEqual([]);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(languageFile, async (route) => {
    await held;
    await route.continue();
  });
  const setLocale = (locale: string) =>
    page.evaluate(`document.querySelector('ledgerline-verify').setAttribute('locale', '${locale}')`);
  await setLocale('fr');
  expect(await title.innerText()).toBe(en.verify.numberTitle);
  release();
  await page.getByRole('heading', { name: fr.verify.numberTitle }).waitFor();

  const texts = { ...ar.code, ...ar.verify };
  await setLocale('ar');
  await page.getByRole('heading', { name: texts.numberTitle }).waitFor();
  await page.getByLabel(texts.number).fill(newPhone());
  await page.getByRole('button', { name: texts.send }).click();
  await page.getByRole('heading', { name: texts.codeTitle }).waitFor();
  const direction = await page.evaluate<string>(
    `getComputedStyle(document.querySelector('ledgerline-verify').shadowRoot.querySelector('h2')).direction`,
  );
  expect(direction).toBe('rtl');
  // Digits run from left to right all the same.
  const boxes = await page.locator('.boxes span').all();
  const lefts = await Promise.all(boxes.map(async (box) => (await box.boundingBox())!.x));
  expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
  await expectFits(page);
});

it('if its language cannot be loaded, a page is in English', async () => {
  const page = await openPage(`${service.url}/`, {
    locale: 'ar',
    expected: /ERR_FAILED/,
    prepare: (opened) => opened.route(languageFile, (route) => route.abort()),
  });
  for (const [pathname, title] of [
    ['/', en.sandbox.title],
    ['/wallet', en.activity.title],
  ] as const) {
    if (pathname !== '/') await page.goto(`${service.url}${pathname}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await expectLanguage(page, 'en');
    const drawn = page.locator('ledgerline-activity .screen, ledgerline-verify .language');
    expect(await drawn.getAttribute('lang')).toBe('en');
    await page.locator('button.row, ledgerline-verify h2').first().waitFor();
  }
});
