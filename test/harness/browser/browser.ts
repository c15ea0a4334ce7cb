/** A real browser: the Chromium of an npm package if there is one for the machine, else an installed one. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { execFileSync } from 'node:child_process';
import { chromium, type Browser } from 'playwright-core';

/** The shell has no window, and needs a third of the time of a whole Chromium. */
const installed = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

let launched: Promise<Browser | string> | undefined;

/** One browser for all tests of a process, or the reason why there is none. It ends with the process. */
export function openBrowser(): Promise<Browser | string> {
  return (launched ??= launch());
}

async function launch(): Promise<Browser | string> {
  const args = [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  const packed = process.platform === 'linux' && process.arch === 'x64' ? await unpackChromium() : undefined;
  const executablePath = packed?.executablePath ?? installed.find((file) => existsSync(file));
  if (!executablePath) {
    return 'no Chromium: npm has none for this machine, so install one (Debian: apt-get install chromium-headless-shell) to run the browser tests';
  }
  return chromium.launch({ executablePath, args, ...(packed && { env: { ...process.env, ...packed.env } }) });
}

interface Unpacked {
  executablePath: string;
  env: Record<string, string>;
}

/** The package unpacks itself only on AWS Lambda; here it is done once for each version. */
async function unpackChromium(): Promise<Unpacked> {
  const bin = path.join(path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../bin');
  const { version } = JSON.parse(await readFile(path.join(bin, '../package.json'), 'utf8')) as { version: string };
  const folder = path.join(tmpdir(), `ledgerline-chromium-${version}-${process.getuid?.()}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    const inflate = async (name: string) => brotliDecompressSync(await readFile(path.join(bin, name)));
    await writeFile(path.join(fresh, 'chromium'), await inflate('chromium.br'), { mode: 0o700 });
    for (const archive of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) {
      execFileSync('tar', ['xf', '-', '-C', fresh], { input: await inflate(archive) });
    }
    await writeFile(path.join(fresh, 'fonts.conf'), fontsConfig(folder));
    await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  }
  return {
    executablePath: path.join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(folder, 'lib'), FONTCONFIG_FILE: path.join(folder, 'fonts.conf') },
  };
}

/** The package's own names a folder of Lambda's; without fonts all text would be 0 pixels wide. */
function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`;
}
