/**
 * Ends what a test run leaves behind: services, browsers, PostgreSQL, temporary files. It runs beside the tests, and
 * notices the end of the run by its input, which closes however the run ends: by itself, by Ctrl-C or by kill -9.
 *
 * Arguments: the process id of the run, and the folder of its temporary files. Needs /proc; elsewhere it only removes
 * the folder.
 */
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [runPid, folder] = [Number(process.argv[2]), process.argv[3]];
/** When each process of the run was started: ids are used again. */
const known = new Map([[runPid, undefined]]);

function readProcFile(pid, name, read = (file) => readFileSync(file, 'utf8')) {
  try {
    return read(`/proc/${pid}/${name}`);
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}

function listProcesses() {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => {
      // The second field is a name in parentheses, which may contain spaces.
      const fields = readProcFile(pid, 'stat').split(') ').at(-1).split(' ');
      return { pid: Number(pid), parent: Number(fields[1]), startedAt: fields[19] };
    })
    .toSorted((a, b) => Number(a.startedAt) - Number(b.startedAt));
}

/** Parents start before their children, and so are known before them. A process with the id of an ended one is not known. */
function note() {
  const running = new Map([[runPid, undefined]]);
  for (const { pid, parent, startedAt } of listProcesses()) {
    if (pid !== runPid) running.set(pid, startedAt);
    const isOurs = running.has(parent) && known.has(parent) && known.get(parent) === running.get(parent);
    if (isOurs) known.set(pid, startedAt);
  }
}

function usesFolder(pid) {
  const cwd = readProcFile(pid, 'cwd', readlinkSync);
  return cwd.startsWith(folder) || readProcFile(pid, 'cmdline').includes(folder);
}

function listRemaining() {
  return listProcesses().filter(
    ({ pid, startedAt }) => pid !== runPid && (known.get(pid) === startedAt || usesFolder(pid)),
  );
}

async function end() {
  note();
  // PostgreSQL releases its shared memory on SIGQUIT.
  for (const signal of ['SIGQUIT', 'SIGKILL']) {
    for (const { pid } of listRemaining()) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
    for (let waited = 0; waited < 3000 && listRemaining().length > 0; waited += 100) await sleep(100);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

const timer = setInterval(note, 1000);
process.stdin.resume().once('close', () => {
  clearInterval(timer);
  void end();
});
