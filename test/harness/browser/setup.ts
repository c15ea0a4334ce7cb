/** Installs the browser before the tests, so that their processes do not do it at the same time. */
import { packedChromium } from './browser.ts';

export default async function setup(): Promise<void> {
  await packedChromium();
}
