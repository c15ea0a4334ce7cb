/** How long the functions of production code are, from their first line to their last. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

interface Span {
  start: number;
  end: number;
}

/** Functions, methods and arrow functions with a block, also those inside others. */
function lengthsOf(file: string, text: string): number[] {
  const { program, errors } = parseSync(file, text);
  expect(errors, file).toEqual([]);
  const lengths: number[] = [];
  const add = ({ start, end }: Span) => void lengths.push(text.slice(start, end).split('\n').length);
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: (arrow) => arrow.expression || add(arrow),
  }).visit(program);
  return lengths;
}

async function lengthsIn(folder: string): Promise<number[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  const sources = names.filter((name) => /\.tsx?$/.test(name)).map((name) => path.join(root, folder, name));
  const lengths = await Promise.all(sources.map(async (file) => lengthsOf(file, await readFile(file, 'utf8'))));
  return lengths.flat();
}

it('half of all functions have at most 8 lines, and nine of ten at most 30', async () => {
  const folders = await Promise.all(['src', 'client', 'web'].map(lengthsIn));
  expect(folders.every((lengths) => lengths.length > 50)).toBe(true);
  const sorted = folders.flat().sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1];
  expect(quantile(0.5)).toBeLessThanOrEqual(8);
  expect(quantile(0.9)).toBeLessThanOrEqual(30);
});
