/** An installed Chromium with the fonts of the test browser's package, so that pictures look the same on every machine. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { unpackFonts } from '../../test/harness/chromium/chromium.js';

const candidates = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-headless-shell',
];

/** `folder` is for files that are needed while the browser runs. */
export async function launchBrowser(folder) {
  const executablePath = candidates.find((file) => file && existsSync(file));
  if (!executablePath) throw new Error('No Chromium found: install one, or set CHROMIUM to its path.');
  return chromium.launch({ executablePath, args: ['--no-sandbox'], env: await fontEnvironment(folder) });
}

async function fontEnvironment(folder) {
  await unpackFonts(folder);
  const config = path.join(folder, 'fonts.conf');
  const dirs = [`${folder}/fonts`, '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  const preferred = [
    ['system-ui', 'Open Sans'],
    ['sans-serif', 'Open Sans'],
    ['ui-monospace', 'DejaVu Sans Mono'],
    ['monospace', 'DejaVu Sans Mono'],
  ]
    .map(
      ([name, font]) =>
        `<alias binding="strong"><family>${name}</family><prefer><family>${font}</family></prefer></alias>`,
    )
    .join('');
  await writeFile(
    config,
    `<?xml version="1.0"?><fontconfig>${dirs}${preferred}<cachedir>${folder}/cache</cachedir></fontconfig>`,
  );
  return { ...process.env, FONTCONFIG_FILE: config };
}
