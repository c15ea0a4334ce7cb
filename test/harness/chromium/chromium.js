/**
 * A Chromium from npm, for Linux on x64, and its fonts, for any machine. It is no dependency of the project: it would be
 * a sixth of what `npm ci` installs, and only the tests of the pages and the screenshots need it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const installed = path.join(here, 'node_modules/@sparticuz/chromium');

/** Removed by each `npm ci`, so it is of the installed version. */
const unpacked = path.join(here, 'node_modules/unpacked');

/** Installs the locked version, unless it is there. */
async function installChromium() {
  const { dependencies } = await readJson(path.join(here, 'package.json'));
  const manifest = path.join(installed, 'package.json');
  if (existsSync(manifest) && (await readJson(manifest)).version === dependencies['@sparticuz/chromium']) return;
  console.log('Installing the Chromium of the tests from npm (66 MB, once) …');
  execFileSync('npm', ['ci', '--prefix', here, '--ignore-scripts', '--no-audit', '--no-fund'], { stdio: 'inherit' });
}

/** The path of the browser, and what its process needs. The package unpacks itself only on AWS Lambda. */
export async function unpackChromium() {
  await installChromium();
  if (!existsSync(unpacked)) {
    const fresh = `${unpacked}.${process.pid}`;
    await mkdir(fresh, { recursive: true });
    await writeFile(path.join(fresh, 'chromium'), await inflate('chromium.br'), { mode: 0o755 });
    for (const archive of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) await extract(archive, fresh);
    await writeFile(path.join(fresh, 'fonts.conf'), fontsConfig());
    await rename(fresh, unpacked).catch(() => rm(fresh, { recursive: true, force: true }));
  }
  return {
    executablePath: path.join(unpacked, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(unpacked, 'lib'), FONTCONFIG_FILE: path.join(unpacked, 'fonts.conf') },
  };
}

/** Into `fonts` of the folder. */
export async function unpackFonts(folder) {
  await installChromium();
  await extract('fonts.tar.br', folder);
}

async function extract(archive, folder) {
  execFileSync('tar', ['xf', '-', '-C', folder], { input: await inflate(archive) });
}

async function inflate(name) {
  return brotliDecompressSync(await readFile(path.join(installed, 'bin', name)));
}

async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** The package's own names a folder of Lambda's; without fonts all text would be 0 pixels wide. */
function fontsConfig() {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${unpacked}/fonts</dir><cachedir>${unpacked}/fonts-cache</cachedir></fontconfig>`;
}
