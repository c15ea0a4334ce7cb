/** Reads every setting from the environment. An unknown LEDGERLINE_ name or a value that does not fit stops the start. */
import { readFileSync } from 'node:fs';
import { fail, Unreadable, type Mode, type Setting, type SettingValue } from '../formats/setting-kinds.ts';
import { describeRemoved } from './removed.ts';
import { settings } from './settings/index.ts';

export type Config = { -readonly [K in keyof typeof settings]: SettingValue<(typeof settings)[K]> } & {
  /** The settings that were given, by environment variable, as they were written. The text of a secret is not kept. */
  given: ReadonlyMap<string, string | undefined>;
};

export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** A secret may be in a file instead, as container platforms provide them. */
const fileSuffix = '_FILE';

type Environment = Record<string, string | undefined>;

export function loadConfig(environment: Environment): Config {
  const env = withoutQuotes(environment);
  const problems = unknownNames(env);
  const mode = env.MODE === 'production' ? 'production' : 'sandbox';
  const given = new Map<string, string | undefined>();
  const config: Record<string, unknown> = { given };
  for (const [name, definition] of Object.entries<Setting<unknown>>(settings)) {
    try {
      config[name] = readSetting(definition, env, mode);
      const { env: variable, secret } = definition;
      if (env[variable] || (secret && env[variable + fileSuffix]))
        given.set(variable, secret ? undefined : env[variable]);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push(`${definition.env} ${error.message}.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config;
}

function readSetting(
  { env: name, kind, default: fallback, secret }: Setting<unknown>,
  env: Environment,
  mode: Mode,
): unknown {
  let value = env[name];
  const file = secret ? env[name + fileSuffix] : undefined;
  if (file) {
    if (value) fail(`and ${name}${fileSuffix} are both set; keep one`);
    value = readSecretFile(name + fileSuffix, file);
  }
  if (value !== undefined && value !== '') return kind.parse(refuseQuotes(value), mode);
  return typeof fallback === 'function' ? fallback(mode) : fallback;
}

/**
 * A shell, systemd and Compose remove the quotes around a value of an environment file, Docker and kubectl keep them.
 * So that all of them give the same, they are removed here, unless a shell would also change what is between them.
 */
function withoutQuotes(environment: Environment): Environment {
  const unquoted = (value: string) => value.replace(/^(?:'([^']*)'|"([^"\\$`]*)")$/, '$1$2');
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value && unquoted(value)]));
}

function refuseQuotes(value: string): string {
  return /^(["']).*\1$/s.test(value)
    ? fail(
        'is in quotes, which are part of the value here. docs/production.md, "Keys and settings", says how to write it',
      )
    : value;
}

function readSecretFile(name: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    return fail(`cannot be read from the file that ${name} names: ${(error as Error).message}`);
  }
  return text === '' ? fail(`cannot be read from the file that ${name} names: ${file} is empty`) : text;
}

function unknownNames(env: Environment): string[] {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  for (const { env: name, secret } of Object.values<Setting<unknown>>(settings)) {
    if (secret) known.add(name + fileSuffix);
  }
  return Object.keys(env)
    .filter((name) => name.startsWith('LEDGERLINE_') && !known.has(name))
    .map((name) => `${name} ${describeRemoved(name) ?? `is not a setting${nearest(name, [...known])}`}`);
}

function nearest(name: string, known: string[]): string {
  const shared = (other: string) => {
    let length = 0;
    while (length < name.length && name[length] === other[length]) length += 1;
    return length;
  };
  const best = known.reduce((a, b) => (shared(b) > shared(a) ? b : a));
  return shared(best) >= 'LEDGERLINE_abc'.length ? `. Did you mean ${best}?` : '; docs/config.md lists them.';
}
