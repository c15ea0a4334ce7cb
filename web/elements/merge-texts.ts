/** The texts of a language with those of the host page in their place. Groups, such as the names of types, are merged too. */
export type OwnTexts<Texts> = {
  [Name in keyof Texts]?: Texts[Name] extends (...values: never[]) => string
    ? Texts[Name]
    : Texts[Name] extends object
      ? OwnTexts<Texts[Name]>
      : Texts[Name];
};

export function mergeTexts<Texts extends object>(texts: Texts, own: OwnTexts<Texts>): Texts {
  const merged = { ...texts } as Record<string, unknown>;
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const before = merged[name];
    merged[name] = isGroup(before) && isGroup(value) ? mergeTexts(before, value) : value;
  }
  return merged as Texts;
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
