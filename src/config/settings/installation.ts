/** The mode, and where the embedded parts keep their files. */
import { list, type Mode, oneOf, setting, text, yesOrNo } from '../../formats/setting-kinds.ts';

export const installationSettings = {
  mode: setting<Mode>({
    env: 'MODE',
    kind: oneOf('sandbox', 'production'),
    default: 'sandbox',
    about: 'The sandbox has an inbox instead of a gateway, a clock that can be moved, and a well-known client.',
  }),
  isQuiet: setting({
    env: 'LEDGERLINE_QUIET',
    kind: yesOrNo,
    default: false,
    about:
      'Sends nothing, for a service on a restored copy: no text (503 `send-failed`) and no webhook. Deliveries stay due.',
  }),
  dataDir: setting({
    env: 'DATA_DIR',
    kind: text,
    default: './data',
    about: 'Folder of the embedded PostgreSQL and of the keys that the sandbox generates.',
  }),
  sandboxHosts: setting<string[]>({
    env: 'LEDGERLINE_SANDBOX_HOSTS',
    kind: list,
    default: [],
    about:
      'Host names or addresses by which the sandbox may be called, besides loopback and the host of PUBLIC_URL. With at least one the sandbox may listen on an address other than loopback.',
  }),
};
