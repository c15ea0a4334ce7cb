/** Language tags, BCP 47. */

const longestTag = 64;

/** The canonical spelling. Any well-formed tag is accepted, including that of a language without texts. */
export function parseLocale(tag: string): string | undefined {
  if (tag.length > longestTag) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

export const localeMessage = 'The field {0} must be a language tag such as en or de-AT.';
