/** Shows the progress of a long command: a line that is updated on a terminal, otherwise a plain line now and then. */
export class Progress {
  readonly #started = performance.now();
  readonly #totalBytes: number | undefined;
  readonly #live = process.stderr.isTTY;
  #rows = 0;
  #bytes = 0;
  #shownAt = 0;

  constructor(totalBytes: number | undefined) {
    this.#totalBytes = totalBytes;
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  addRows(rows: number): void {
    this.#rows += rows;
    const pause = this.#live ? 100 : 5000;
    if (performance.now() - this.#shownAt < pause) return;
    this.#shownAt = performance.now();
    process.stderr.write(this.#live ? `\r\x1b[K${this.#line()}` : `${this.#line()}\n`);
  }

  /** Removes the line, so that something else can be printed. */
  end(): void {
    if (this.#live) process.stderr.write('\r\x1b[K');
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  #line(): string {
    const rate = this.#rows / Math.max(this.seconds, 0.001);
    const parts = [`${count(this.#rows)} rows`, `${count(Math.round(rate))} rows/s`];
    if (this.#totalBytes) {
      const share = Math.min(1, this.#bytes / this.#totalBytes);
      const left = share > 0 ? (this.seconds / share) * (1 - share) : 0;
      parts.unshift(this.#live ? bar(share) : `${Math.floor(share * 100)} %`);
      parts.push(`${duration(left)} left`);
    }
    return parts.join('  ');
  }
}

export function count(number: number): string {
  return number.toLocaleString('en');
}

function bar(share: number): string {
  const width = 24;
  const full = Math.round(share * width);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(share * 100)).padStart(3)} %`;
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
