/** `docs/config.md`, from the table of settings itself. */
import { settings } from './settings/index.ts';

interface Described {
  env: string;
  kind: { form: string };
  default: unknown;
  defaultText?: string;
  secret?: boolean;
  about: string;
}

export function configReference(): string {
  const rows = (Object.values(settings) as Described[]).map(
    ({ env, kind, about, secret, ...rest }) =>
      `| \`${env}\` | ${about}${secret ? ' **Secret.**' : ''} | ${kind.form} | ${defaultOf(rest)} |`,
  );
  return `# Settings

Made from \`src/config/settings/\` by \`npm run generate\`. All are environment variables; an empty one counts as not set.
An unknown name that starts with \`LEDGERLINE_\`, or a value that does not fit, stops the start and is named.
A secret may stand in a file instead: set the name with \`_FILE\` behind it to the file's path.

| setting | what it does | form | default |
|---|---|---|---|
${rows.join('\n')}
`;
}

export function defaultOf({ default: value, defaultText }: Pick<Described, 'default' | 'defaultText'>): string {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none';
  return `\`${String(value)}\``;
}
