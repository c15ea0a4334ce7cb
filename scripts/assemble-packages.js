/** Puts the built client and elements into packages/, from where they are published. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);

/** From the folder of a build to a folder of a package. */
const assembled = [
  ['dist/client/', 'packages/client/dist/'],
  ['dist/activity/', 'packages/elements/dist/activity/'],
  ['dist/verify/', 'packages/elements/dist/verify/'],
  ['dist/confirm/', 'packages/elements/dist/confirm/'],
];

/** In declarations the compiler keeps imports of .ts files, which older compilers refuse. */
const importOfSource = /(from '\.\/[\w-]+)\.ts'/g;

for (const [from, to] of assembled) {
  const target = new URL(to, root);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await cp(new URL(from, root), target, { recursive: true, filter: (name) => !name.endsWith('.map') });
  for (const name of await readdir(target)) {
    const file = new URL(name, target);
    const text = await readFile(file, 'utf8');
    if (name.endsWith('.d.ts')) await writeFile(file, text.replace(importOfSource, "$1.js'"));
    if (name.endsWith('.js')) await writeFile(file, text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
}
for (const name of ['client', 'elements']) {
  await cp(new URL('LICENSE', root), new URL(`packages/${name}/LICENSE`, root));
}
