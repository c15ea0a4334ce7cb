/** Every setting, from the files of their owners. */
import type { Merged } from '../../formats/setting-kinds.ts';
import { codesSettings } from './codes.ts';
import { databaseSettings } from './database.ts';
import { eventsSettings } from './events.ts';
import { gatewaysSettings } from './gateways.ts';
import { guardSettings } from './guard.ts';
import { installationSettings } from './installation.ts';
import { messagesSettings } from './messages.ts';
import { observabilitySettings } from './observability.ts';
import { privacySettings } from './privacy.ts';
import { serverSettings } from './server.ts';
import { tokensSettings } from './tokens.ts';

/** By owner, in the order of the reference. */
export const settingGroups = {
  server: serverSettings,
  installation: installationSettings,
  database: databaseSettings,
  tokens: tokensSettings,
  gateways: gatewaysSettings,
  messages: messagesSettings,
  codes: codesSettings,
  guard: guardSettings,
  privacy: privacySettings,
  events: eventsSettings,
  observability: observabilitySettings,
};

export const settings = Object.assign({}, ...Object.values(settingGroups)) as Merged<
  (typeof settingGroups)[keyof typeof settingGroups]
>;
