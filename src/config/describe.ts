/** The settings of this process that an operator may see: never a secret. */
import type { Setting } from '../formats/setting-kinds.ts';
import type { Config } from './load.ts';
import { defaultOf } from './reference.ts';
import { settingGroups } from './settings/index.ts';

export interface DescribedSetting {
  /** The environment variable. */
  name: string;
  group: string;
  about: string;
  isSecret: boolean;
  isSet: boolean;
  /** As it was written; null for a secret, and if it is not set. */
  value: string | null;
  /** The value if it is not set. */
  default: string;
}

export function describeSettings({ given }: Pick<Config, 'given'>): DescribedSetting[] {
  return Object.entries(settingGroups).flatMap(([group, settings]) =>
    Object.values<Setting<unknown>>(settings).map((setting) => {
      const { env: name, about, secret: isSecret = false } = setting;
      return {
        name,
        group,
        about,
        isSecret,
        isSet: given.has(name),
        value: isSecret ? null : hideCredentials(given.get(name)),
        default: setting.defaultText ?? defaultOf(setting).replaceAll('`', ''),
      };
    }),
  );
}

/** A URL may contain a name and a password although its setting is not a secret. */
function hideCredentials(value: string | undefined): string | null {
  return value?.replace(/:\/\/[^/?#@\s]*@/g, '://…@') ?? null;
}
