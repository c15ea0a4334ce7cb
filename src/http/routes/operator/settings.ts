import { boolean, listOf, nullable, record } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import type { DescribedSetting } from '../../../config/describe.ts';
import { operation, operatorRead, reply } from '../../operation.ts';

const setting = record('ServiceSetting', {
  name: required(text(), 'The environment variable.'),
  group: required(text(), 'The part of the service that it belongs to.'),
  about: required(text(), 'What it does.'),
  isSecret: required(boolean(), 'Whether its value is never shown.'),
  isSet: required(boolean(), 'Whether it was given.'),
  value: required(nullable(text()), 'As it was given; null for a secret, and if it was not given.'),
  default: required(text(), 'The value if it is not given.'),
});

const settings = record('ServiceSettings', {
  version: required(text(), 'The version of the service.'),
  mode: required(text(), 'sandbox or production.'),
  settings: required(listOf(setting), 'Every setting.'),
});

interface SettingsReport {
  version: string;
  mode: string;
  settings: DescribedSetting[];
}

export const operatorSettingsOperation = (report: SettingsReport) =>
  operation({
    ...operatorRead,
    name: 'operator-settings',
    method: 'GET',
    path: '/operator/settings',
    summary: 'List settings',
    about:
      'The settings of the process that answers, as it was started. A secret only shows whether it is set; names and passwords in URLs are left out.',
    responses: { 200: { about: 'The settings.', shape: settings } },
    handle: () => reply(200, settings, report),
  });
