/** `docs/config.md`, from the table of settings itself. */
import type { Setting } from '../formats/setting-kinds.ts';
import { settingGroups, settings } from './settings/index.ts';

/** What every installation in production sets, in the order in which one would. */
const first = [
  'MODE',
  'PUBLIC_URL',
  'DATABASE_URL',
  'LEDGERLINE_DIGEST_KEY',
  'LEDGERLINE_ISSUER',
  'LEDGERLINE_CLIENTS',
  'LEDGERLINE_SIGNING_KEY',
  'LEDGERLINE_TRUSTED_PROXIES',
  'LEDGERLINE_GATEWAYS',
  'LEDGERLINE_SENDER',
  'LEDGERLINE_BRAND',
  'LEDGERLINE_COUNTRIES',
  'LEDGERLINE_PRICES',
];

const titles: Record<keyof typeof settingGroups, string> = {
  server: 'Server',
  installation: 'Installation',
  database: 'Database',
  tokens: 'Tokens and keys',
  gateways: 'Gateways',
  messages: 'Messages',
  codes: 'Codes',
  guard: 'Rules against abuse',
  privacy: 'Privacy',
  events: 'Events and webhooks',
  observability: 'Logs, metrics and traces',
};

export function configReference(): string {
  const all = Object.values<Setting<unknown>>(settings);
  const chapters = Object.entries(settingGroups).map(([group, owned]) => {
    const rest = Object.values<Setting<unknown>>(owned).filter(({ env }) => !first.includes(env));
    return chapter(titles[group as keyof typeof settingGroups], rest);
  });
  return `# Settings

Made from \`src/config/settings/\` by \`npm run generate\`. All are environment variables; an empty one counts as not set.
An unknown name that starts with \`LEDGERLINE_\`, or a value that does not fit, stops the start and is named.
A secret can be read from a file: add \`_FILE\` to the name of the setting, and set it to the path of the file, such as
\`LEDGERLINE_DIGEST_KEY_FILE=/run/secrets/digest-key\`.

${chapter(
  'What every installation sets',
  first.map((name) => all.find(({ env }) => env === name)!),
)}
With your own token issuer set \`LEDGERLINE_ISSUER\`; with the embedded one \`LEDGERLINE_CLIENTS\` and
\`LEDGERLINE_SIGNING_KEY\`. The gateways have settings of their own, below.

${chapters.join('\n')}`;
}

function chapter(title: string, members: Setting<unknown>[]): string {
  const rows = members.map(
    ({ env, kind, about, secret, ...rest }) =>
      `| \`${env}\` | ${about}${secret ? ' **Secret.**' : ''} | ${kind.form} | ${defaultOf(rest)} |`,
  );
  return `## ${title}

| setting | what it does | form | default |
|---|---|---|---|
${rows.join('\n')}
`;
}

export function defaultOf({ default: value, defaultText }: Pick<Setting<unknown>, 'default' | 'defaultText'>): string {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none';
  return `\`${String(value)}\``;
}
