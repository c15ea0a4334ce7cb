import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Request } from '../../src/http/operation.ts';
import { readPages } from '../../src/http/pages.ts';

it('a page of the documentation that could not be read once is read by the next request', async () => {
  const { docs } = await readPages({ names: [], mode: 'sandbox', url: 'http://localhost', signIn: undefined });
  const page = docs.find(({ path }) => path === '/docs')!;
  const request = { headers: {} } as Request;
  const readFile = vi.spyOn(promises, 'readFile').mockRejectedValueOnce(new Error('EMFILE: too many open files'));
  onTestFinished(() => {
    readFile.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  await expect(page.reply(request)).rejects.toThrow('EMFILE');
  expect(await page.reply(request)).toMatchObject({ status: 200 });
});
