/**
 * Loaded into a service before its own code: moves its wall clock by the number of milliseconds that stands in a file.
 * Timers and performance.now() stay as they are, as they do when a machine's clock is set.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offsetMilliseconds = 0;

function readOffset() {
  try {
    offsetMilliseconds = Number(readFileSync(process.env.CHAOS_CLOCK_FILE, 'utf8')) || 0;
  } catch (error) {
    // The file is replaced by rename, so it is absent only before the first jump.
    if (error.code !== 'ENOENT') throw error;
  }
}

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMilliseconds);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + offsetMilliseconds;
  }
};

readOffset();
setInterval(readOffset, 50).unref();
