/** `npm run check` as a test: it uses the processor while the tests beside it wait. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

it('types, lint and format of everything are right', async () => {
  const check = spawn('npm', ['run', '--silent', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [status]] = await Promise.all([text(check.stdout), text(check.stderr), once(check, 'exit')]);
  expect(status, output + errors).toBe(0);
}, 300_000);
