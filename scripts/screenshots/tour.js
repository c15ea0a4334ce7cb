/** The first minute with Ledgerline as a short animation. */
import { writeFile } from 'node:fs/promises';
import { animateWebp } from './animated-webp.js';
import { enterNumber } from './states.js';

const viewport = { width: 1120, height: 740 };
/** Of the animation, which a README shows at about half the size of a window. */
const size = { width: 840, height: 555 };
const quality = 0.82;

export function createTour(browser) {
  const frames = [];

  /** Scales a picture in the browser, which also writes WebP. */
  async function toWebp(page, png) {
    const address = await page.evaluate(
      async ({ data, width, height, quality: wanted }) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob(), {
          resizeWidth: width,
          resizeHeight: height,
          resizeQuality: 'high',
        });
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width, height });
        canvas.getContext('2d').drawImage(image, 0, 0);
        return canvas.toDataURL('image/webp', wanted);
      },
      { data: png.toString('base64'), ...size, quality },
    );
    return Buffer.from(address.split(',')[1], 'base64');
  }

  /** Opens a page and gives what takes frames of it. */
  async function open(address, show) {
    const options = { viewport, locale: 'en-GB', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' };
    const context = await browser.newContext(options);
    // A page of its own, because those of the service allow no data: addresses.
    const painter = await context.newPage();
    const page = await context.newPage();
    await page.goto(address);
    await show(page, async (seconds) => {
      await page.waitForTimeout(400);
      frames.push({ picture: await toWebp(painter, await page.screenshot()), milliseconds: seconds * 1000 });
    });
    await context.close();
  }

  return {
    async showSandbox(url) {
      await open(`${url}/`, async (page, frame) => {
        await page.getByLabel('Phone number').waitFor();
        await frame(1.5);
        await enterNumber(page, '07400 123999');
        await frame(1.2);
        await page.getByRole('button', { name: 'Send code' }).click();
        const use = page.getByRole('button', { name: /^Use \d/ });
        await use.waitFor();
        await frame(2);
        await use.click();
        await page.getByRole('heading', { name: 'Verified' }).waitFor();
        await frame(1.6);
        await page.getByRole('region', { name: 'Calls' }).evaluate((calls) => calls.scrollIntoView());
        await frame(2);
      });
    },
    async showWallet(url) {
      await open(`${url}/wallet`, async (page, frame) => {
        await page.locator('button.row').first().waitFor();
        await frame(2);
        await page.locator('button.row').nth(2).click();
        await page.locator('.history').waitFor();
        await frame(1.8);
      });
    },
    async showConsole(url) {
      await open(`${url}/console`, async (page, frame) => {
        await page.locator('.figure-tiles').first().waitFor();
        await frame(2.5);
      });
    },
    async save(file) {
      if (frames.length > 0) await writeFile(file, animateWebp(frames, size));
    },
  };
}
