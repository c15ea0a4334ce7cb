/** The service under the filter of system calls of the systemd unit, applied as systemd does, where its tools are installed. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolder, ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, row } from '../harness/service.ts';

/** Allows the named system calls, asks for a protection key as V8 does on x86, and starts a command. Any other call kills. */
const launcher = `
import ctypes, os, sys
separator = sys.argv.index('--')
names, command = sys.argv[1:separator], sys.argv[separator + 1:]
seccomp = ctypes.CDLL('libseccomp.so.2', use_errno=True)
libc = ctypes.CDLL(None, use_errno=True)
seccomp.seccomp_init.restype = ctypes.c_void_p
KILL_PROCESS, ALLOW, NO_NEW_PRIVILEGES = 0x80000000, 0x7FFF0000, 38
context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(KILL_PROCESS)))
for name in names:
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    # The sets name calls of all processors. Those that this one lacks have a negative number.
    if number >= 0 and seccomp.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0) != 0:
        sys.exit('no rule for ' + name)
if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or seccomp.seccomp_load(context) != 0:
    sys.exit('the filter cannot be applied')
libc.syscall(seccomp.seccomp_syscall_resolve_name(b'pkey_alloc'), 0, 0)
if command: os.execv(command[0], command)
`;

/** The system calls of a set, and those of the sets that it contains. */
function expand(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const { stdout } = spawnSync('systemd-analyze', ['--no-pager', 'syscall-filter', name], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap(expand);
}

/** The first list says what is allowed, and one that begins with ~ takes from it. systemd always allows @default. */
async function allowedCalls(): Promise<string[]> {
  const unit = await readFile(new URL('../../deploy/systemd/ledgerline.service', import.meta.url), 'utf8');
  const allowed = new Set(expand('@default'));
  for (const [, sign, names] of unit.matchAll(/^SystemCallFilter=(~?)(.+)$/gm)) {
    for (const call of names!.split(' ').flatMap(expand)) {
      if (sign === '~') allowed.delete(call);
      else allowed.add(call);
    }
  }
  return [...allowed];
}

const launch = (calls: string[]) => ['python3', '-c', launcher, ...calls, '--'];

/** Whether a filter can be applied here; it is tried with one that allows everything the launcher needs. */
const canFilter =
  spawnSync('systemd-analyze', ['--version']).error === undefined &&
  spawnSync('python3', launch([...expand('@known')]).slice(1)).status === 0;

it.skipIf(!canFilter)('serves and stops under the filter of the unit, and a call outside of it kills', async () => {
  const calls = await allowedCalls();
  const [python, ...others] = launch(calls.filter((call) => call !== 'pkey_alloc'));
  expect(spawnSync(python!, others).signal).toBe('SIGSYS');

  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const settings = { DATABASE_URL: database.url, DATA_DIR: await dataFolder(), LEDGERLINE_PROCESSES: '2' };
  const service = await new ServiceProcess(settings, [], undefined, launch(calls)).ready();
  const token = await service.token();
  const { json: user } = await service.call('POST', '/User', token, {});
  const recorded = await service.call('POST', '/app/record-transactions', token, { transactions: [row(user.id)] });
  expect(recorded.json.results).toMatchObject([{ result: 'created' }]);
  // In a thread of its own.
  const statement = await fetch(`${service.url}/app/statement`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ individualId: user.id }),
  });
  expect(Buffer.from(await statement.arrayBuffer()).toString('latin1')).toMatch(/^%PDF-/);
  expect(await service.end('SIGTERM')).toBe(0);
});
