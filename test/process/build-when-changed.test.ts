/** `npm start` builds only when something has changed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/build-when-changed.js', import.meta.url));

/** A project whose build writes a line for each time it ran. */
async function makeProject(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-build-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['src', 'scripts', 'dist']) await mkdir(path.join(folder, name));
  await cp(script, path.join(folder, 'scripts/build-when-changed.js'));
  const build = 'node make.js && node scripts/build-when-changed.js --note';
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { build } }));
  await writeFile(path.join(folder, 'make.js'), "(await import('node:fs')).appendFileSync('dist/out', 'built ')");
  await writeFile(path.join(folder, 'src/one.ts'), 'one');
  return folder;
}

it('a build follows a changed source or a changed output, and nothing else', async () => {
  const folder = await makeProject();
  const timesBuilt = async () => {
    const [code] = await once(spawn(process.execPath, ['scripts/build-when-changed.js'], { cwd: folder }), 'exit');
    expect(code).toBe(0);
    return (await readFile(path.join(folder, 'dist/out'), 'utf8')).split('built').length - 1;
  };
  expect(await timesBuilt()).toBe(1);
  // The same content with another time, as after a checkout.
  await writeFile(path.join(folder, 'src/one.ts'), 'one');
  expect(await timesBuilt()).toBe(1);
  await writeFile(path.join(folder, 'src/two.ts'), 'two');
  expect(await timesBuilt()).toBe(2);
  await rm(path.join(folder, 'src/two.ts'));
  expect(await timesBuilt()).toBe(3);
  await writeFile(path.join(folder, 'dist/other'), '');
  expect(await timesBuilt()).toBe(4);
  expect(await timesBuilt()).toBe(4);
});

it('says each step of a build; before it, that the port is taken', async () => {
  const folder = await makeProject();
  const start = async (settings: Record<string, string>) => {
    const env = { ...process.env, npm_lifecycle_event: 'prestart', ...settings };
    const child = spawn(process.execPath, ['scripts/build-when-changed.js'], { cwd: folder, env });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { stdout, stderr, code };
  };
  const holder = createServer();
  await once(holder.listen(0, '127.0.0.1'), 'listening');
  const PORT = String((holder.address() as AddressInfo).port);
  expect(await start({ PORT })).toEqual({
    stdout: '',
    stderr: `Port ${PORT} is taken. Stop what listens there, or set PORT to another port.\n`,
    code: 1,
  });
  holder.close();
  expect(await start({ PORT: '0' })).toEqual({
    stdout:
      '  Building, step 1 of 2: node make.js\n' +
      '  Building, step 2 of 2: node scripts/build-when-changed.js --note\n',
    stderr: '',
    code: 0,
  });
  expect((await start({ PORT: '0' })).stdout).toBe('');
});
