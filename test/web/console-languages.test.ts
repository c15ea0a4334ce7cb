/** The console in every language: complete, and drawn without overflow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { console as english, type ConsoleTexts } from '../../web/languages/console/en.ts';
import { loadConsoleTexts } from '../../web/languages/console-texts.ts';
import { languageNames, languages } from '../../web/languages/languages.ts';
import { expectAccessible, expectNarrow, openPage } from '../harness/page.ts';
import { startService, type Service } from '../harness/service.ts';
import { isFull } from '../harness/size.ts';

const everyLanguage: (readonly [string, ConsoleTexts])[] = await Promise.all(
  languages.map(async (language) => [language, await loadConsoleTexts(language)] as const),
);

/** Every text by its path. Functions are called with marks, which must come back in the text. */
function flatten(texts: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(texts) as [string, unknown][]) {
    const path = `${prefix}${name}`;
    if (typeof value === 'string') found.set(path, value);
    else if (typeof value === 'function') found.set(path, callWithMarks(value as (...marks: string[]) => string));
    else for (const [inner, text] of flatten(value as object, `${path}.`)) found.set(inner, text);
  }
  return found;
}

function callWithMarks(text: (...marks: string[]) => string): string {
  return text(...Array.from({ length: text.length }, (_, index) => `«${index}»`));
}

const marksOf = (text: string) => [...text.matchAll(/«\d»/g)].map(([mark]) => mark).toSorted();

it.each(everyLanguage)('%s has every text, with everything that it mentions', (language, texts) => {
  // The sentences of rules are optional: the service sends them in English.
  const [own, wanted] = [flatten({ ...texts, rules: {} }), flatten({ ...english, rules: {} })];
  expect([...own.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
  for (const [path, text] of own) {
    expect([path, text.trim()]).not.toEqual([path, '']);
    expect([path, marksOf(text)]).toEqual([path, marksOf(wanted.get(path)!)]);
  }
  const same = [...own].filter(([path, text]) => text === wanted.get(path)).length;
  if (language !== 'en') expect(same).toBeLessThan(own.size / 8);
});

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.verifiedUser();
});
afterAll(() => service.stop());

const drawnLanguages = everyLanguage.filter(([language]) => isFull || ['de', 'ar'].includes(language));

describe.each(drawnLanguages)('in %s', (language, { common }) => {
  it('it has its language and direction, and every view fits into 320 pixels', async () => {
    const page = await openPage(`${service.url}/console`, { locale: language === 'en' ? 'en-GB' : language });
    const views = {
      overview: common.overview,
      messages: common.messages,
      customer: common.customer,
      guard: common.guard,
      'safe-list': common.safeList,
      events: common.events,
      webhooks: common.webhooks,
      audit: common.audit,
      settings: common.settings,
    };
    for (const [view, title] of Object.entries(views)) {
      await page.goto(`${service.url}/console#${view}`);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await expect.poll(() => page.getByText(common.loading, { exact: true }).count()).toBe(0);
      await expectNarrow(page);
    }
    expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual([
      language,
      language === 'ar' ? 'rtl' : 'ltr',
    ]);
    if (language !== 'ar') return;
    await expectAccessible(page);
    // A phone number between Arabic words keeps its own direction.
    await page.goto(`${service.url}/console#messages`);
    await expect.poll(() => page.getByRole('row').nth(1).textContent()).toMatch(/\u2066\+\d+…\d+\u2069/);
  });
});

it('a chosen language is kept, with the view', async () => {
  const page = await openPage(`${service.url}/console#audit`);
  await page.getByLabel('Language and colours').click();
  await page.getByRole('combobox', { name: 'Language' }).selectOption(languageNames.de);
  await page.getByRole('heading', { name: 'Protokoll', level: 1 }).waitFor();
});
