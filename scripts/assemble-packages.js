/** Puts the built client and elements into packages/, from where they are published. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

import { componentsOf, componentTypesOf, preactTypesOf } from './elements/components.js';
import { manifestOf } from './elements/manifest.js';

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
  await cp(new URL(from, root), target, { recursive: true, filter: (name) => !/\.map$|description\.json$/.test(name) });
  for (const name of await readdir(target)) {
    const file = new URL(name, target);
    const text = await readFile(file, 'utf8');
    if (name.endsWith('.d.ts')) await writeFile(file, text.replace(importOfSource, "$1.js'"));
    if (name.endsWith('.js')) await writeFile(file, text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
}
const described = await Promise.all(
  ['activity', 'verify', 'confirm'].map(async (name) =>
    JSON.parse(await readFile(new URL(`dist/${name}/description.json`, root), 'utf8')),
  ),
);
const descriptions = described.map(({ description }) => description);
const made = {
  'custom-elements.json': `${JSON.stringify(manifestOf(descriptions, described[0].cssProperties), null, 2)}\n`,
  'react/index.js': componentsOf(descriptions),
  'react/index.d.ts': componentTypesOf(descriptions),
  'preact/index.js': '// Only types.\nexport {};\n',
  'preact/index.d.ts': preactTypesOf(descriptions),
  // The README of the package points to it.
  'web.md': await readFile(new URL('docs/web.md', root), 'utf8'),
};
for (const [name, text] of Object.entries(made)) {
  const file = new URL(`packages/elements/dist/${name}`, root);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, text);
}
for (const name of ['client', 'elements']) {
  await cp(new URL('LICENSE', root), new URL(`packages/${name}/LICENSE`, root));
}
