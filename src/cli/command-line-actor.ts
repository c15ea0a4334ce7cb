/** Who acts from the command line, for the audit: the account on this machine. */
import { userInfo } from 'node:os';

export const commandLineActor = () => ({ subject: `cli:${userInfo().username}`, client: 'cli' });
