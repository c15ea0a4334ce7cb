/** The report of refused rows: the first few go to the terminal, all of them to a file, if one is given. */
import { fstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StartError, type FieldErrors } from '../errors.ts';
import { openOutputFile } from './output.ts';

export interface Refused {
  line: number;
  result: string;
  /** Null or absent if the row has none that can be read. */
  transactionId?: string | null;
  errors?: FieldErrors;
}

interface ReportFile {
  name: string;
  stream: Writable;
  /** The error of a write, or undefined if all of them succeeded. */
  ended: Promise<NodeJS.ErrnoException | undefined>;
}

const shown = 20;

/** `input` is the file that the command reads, which must stay as it is. */
export async function openReport(name: string | undefined, input: string): Promise<Report> {
  if (name === undefined) return new Report(undefined);
  if (await isSameFile(name, input))
    throw new StartError(`${name} is the file that is read. Name another one with --report.`);
  const stream = (await openOutputFile(name)).createWriteStream();
  const ended = finished(stream).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  return new Report({ name, stream, ended });
}

/** Also by another name, through a link, or as standard input. */
async function isSameFile(report: string, input: string): Promise<boolean> {
  // If there is no such file yet, or it cannot be used, opening it tells.
  const written = await stat(report, { bigint: true }).catch(() => undefined);
  const read = input === '-' ? fstatSync(0, { bigint: true }) : await stat(input, { bigint: true });
  return written !== undefined && written.isFile() && written.dev === read.dev && written.ino === read.ino;
}

class Report {
  readonly #file: ReportFile | undefined;
  readonly #lines: string[] = [];
  #count = 0;

  constructor(file: ReportFile | undefined) {
    this.#file = file;
  }

  add(refused: Refused & Record<string, unknown>): void {
    this.#count += 1;
    this.#file?.stream.write(`${JSON.stringify(refused)}\n`);
    if (this.#lines.length >= shown) return;
    const reasons = Object.entries(refused.errors ?? {}).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    // A whole file may be one line. Quoted as JSON, an id cannot change what the terminal shows.
    const which = refused.transactionId ? `, transaction ${JSON.stringify(refused.transactionId)}` : '';
    this.#lines.push(
      `  line ${refused.line}${which}: ${[refused.result, reasons.join('; ')].filter(Boolean).join(', ')}`,
    );
  }

  /** Prints the first ones. Returns whether the file, if there is one, has all of them. */
  async end(): Promise<boolean> {
    this.#file?.stream.end();
    const failure = await this.#file?.ended;
    for (const line of this.#lines) console.error(line);
    const more = this.#count - this.#lines.length;
    const where = this.#file ? `all stand in ${this.#file.name}` : 'name a file with --report to see all';
    if (more > 0) console.error(`  and ${more} more${failure ? '' : `; ${where}`}`);
    if (failure) console.error(`${this.#file!.name} cannot be written (${failure.code}), so it lacks refused rows.`);
    return failure === undefined;
  }
}
