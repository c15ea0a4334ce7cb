/** What the search of the console finds: views, a message, a customer, rules and settings. */
import { useMemo } from 'preact/hooks';
import { useResource } from '../data/use-resource.ts';
import type { Command } from '../ui/command-palette.tsx';
import { goTo } from './address.ts';
import { findCustomers, isCustomerText, isUserId, rememberedCountry } from './find-customers.ts';
import { hrefOf } from './hrefs.ts';
import { useOperator } from './operator.ts';
import { t } from './texts.ts';

/** So many of a kind. */
const shownCount = 8;

export type Views = readonly (readonly [name: string, title: string])[];

interface Place {
  title: string;
  kind: string;
  href: string;
  /** Other words that find it. */
  about: string;
}

/** Finds the commands for a text, and says what it cannot find because it could not be read. */
export function useCommands(views: Views): {
  find(text: string): Command[];
  notice: string | undefined;
} {
  const { operations } = useOperator();
  // The search works without them, too.
  const rules = useResource([operations], (options) => operations.guardRules(options), { isOwn: true });
  const settings = useResource([operations], (options) => operations.settings(options), { isOwn: true });
  const places = useMemo<Place[][]>(
    () => [
      views.map(([name, title]) => ({ title, kind: t.search.view, href: hrefOf(name), about: '' })),
      (rules.value ?? []).map(({ rule, about }) => ({
        title: rule,
        kind: t.search.rule,
        href: hrefOf('guard', '', { rule }),
        about,
      })),
      (settings.value?.settings ?? []).map(({ name, about }) => ({
        title: name,
        kind: t.search.setting,
        href: hrefOf('settings', '', { search: name }),
        about,
      })),
    ],
    [rules.value, settings.value],
  );

  async function openCustomer(text: string): Promise<void> {
    const { userIds, complaint } = await findCustomers(operations, text, rememberedCountry());
    if (complaint !== undefined) throw new Error(complaint);
    if (userIds.length > 1) throw new Error(t.search.several(userIds.join(', ')));
    goTo(hrefOf('customer', userIds[0]));
  }

  const find = (text: string) => [
    ...(/^\d{1,10}-\d{1,10}$/.test(text)
      ? [opening(t.messages.details(text), t.search.message, hrefOf('messages', text))]
      : []),
    ...(isUserId(text) ? [opening(t.common.userNamed(text), t.search.customer, hrefOf('customer', text))] : []),
    ...(isCustomerText(text)
      ? [{ key: 'find', title: t.search.findCustomer(text), kind: t.search.customer, run: () => openCustomer(text) }]
      : []),
    ...places.flatMap((list) => found(list, text)),
  ];
  return { find, notice: rules.failure || settings.failure ? t.search.incomplete : undefined };
}

function opening(title: string, kind: string, href: string): Command {
  return { key: href, title, kind, run: () => goTo(href) };
}

/** The views alone if nothing was typed. Those whose name matches are first. */
function found(places: readonly Place[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/);
  const has = (where: string) => words.every((word) => where.toLowerCase().includes(word));
  const matching = places.filter(({ title, kind, about }) =>
    text === '' ? kind === t.search.view : has(`${title} ${about}`),
  );
  return [...matching.filter(({ title }) => has(title)), ...matching.filter(({ title }) => !has(title))]
    .slice(0, text === '' ? undefined : shownCount)
    .map(({ title, kind, href }) => opening(title, kind, href));
}
