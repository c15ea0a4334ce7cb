/** Rows from camt.053 account statements (ISO 20022) of any size: one entry is in memory at a time. */
import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { CamtStatement, type Entry } from './camt-rows.ts';
import type { IncomingRow } from '../record/ingest.ts';
import { unreadable } from './ndjson.ts';
import { UnusableFile } from './unusable-file.ts';

export interface CamtOptions {
  /** The individual, if all accounts belong to one. */
  individual: string | undefined;
  /** From IBAN or other account id, without spaces, to individual. */
  accounts: ReadonlyMap<string, string>;
}

/** The size limit of one entry, in characters. */
const largestEntry = 1024 * 1024;

export async function* readCamt(chunks: AsyncIterable<Buffer>, options: CamtOptions): AsyncGenerator<IncomingRow[]> {
  const reader = new CamtReader(options);
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      reader.write(decoder.decode(chunk, { stream: true }));
      yield reader.take();
    }
    reader.close((decoder ?? new TextDecoder()).decode());
    yield reader.take();
  } catch (error) {
    if (error instanceof UnusableFile) throw error;
    // The rows before this point are kept; after it the file cannot be read.
    yield [...reader.take(), unreadable(reader.line, `${whyUnreadable(error)} ${reader.whereItEnded}`)];
  }
}

/** XML 1.0, appendix F.1: UTF-16 shows in the first two bytes, which are a byte order mark or `<`. */
const firstBytesOfUtf16: Record<string, string> = {
  fffe: 'utf-16le',
  '3c00': 'utf-16le',
  feff: 'utf-16be',
  '003c': 'utf-16be',
};

function encodingOf(start: Buffer): string {
  const declared = /^\uFEFF?<\?xml[^>]*encoding=["']([\w.-]+)["']/.exec(start.subarray(0, 200).toString())?.[1];
  return firstBytesOfUtf16[start.toString('hex', 0, 2)] ?? declared ?? 'utf-8';
}

function whyUnreadable(error: unknown): string {
  if (error instanceof RangeError) return 'The encoding that the file declares is not known.';
  if (error instanceof TypeError) return 'The text is not valid in the encoding that the file declares.';
  // The parser puts its position before the message.
  return (error as Error).message.replace(/^(\S+:)?\d+:\d+: /, '');
}

class CamtReader {
  readonly #parser = new SaxesParser();
  readonly #options: CamtOptions;
  #rows: IncomingRow[] = [];
  #path: string[] = [];
  /** The root element as a person would name it. */
  #root = '';
  #hasStatements = false;
  #account = '';
  #statement = new CamtStatement();
  #entry: Entry | undefined;
  #entrySize = 0;
  /** How many entries have been read. */
  #entries = 0;
  #text = '';

  constructor(options: CamtOptions) {
    this.#options = options;
    this.#parser.on('error', (error) => {
      throw error;
    });
    this.#parser.on('doctype', () => {
      throw new Error('The file has a DOCTYPE, which is refused.');
    });
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#root ||= describeRoot(name, attributes);
      this.#open(localName(name), attributes);
    });
    this.#parser.on('text', (text) => this.#add(text));
    this.#parser.on('cdata', (text) => this.#add(text));
    this.#parser.on('closetag', ({ name }) => this.#close(localName(name)));
  }

  get line(): number {
    return this.#parser.line;
  }

  /** A file may be one line, so the line alone does not say it. */
  get whereItEnded(): string {
    return this.#entries === 0 ? 'No entry was read.' : `Nothing after entry ${this.#entries} was read.`;
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  close(text: string): void {
    this.#parser.write(text).close();
    if (this.#hasStatements) return;
    throw new UnusableFile(1, `the file is not a camt.053 statement: no BkToCstmrStmt is in its ${this.#root}`);
  }

  take(): IncomingRow[] {
    return this.#rows.splice(0);
  }

  #open(name: string, attributes: Record<string, string>): void {
    this.#path.push(name);
    this.#text = '';
    if (name === 'BkToCstmrStmt') this.#hasStatements = true;
    if (name === 'Stmt') {
      this.#account = '';
      this.#statement = new CamtStatement();
    }
    // Reports and notifications (camt.052, camt.054) have entries too.
    if (name === 'Ntry' && !this.#entry && this.#hasStatements) {
      this.#entry = { line: this.line, number: this.#entries + 1, texts: new Map(), details: [] };
      this.#entrySize = 0;
    }
    if (name === 'TxDtls') this.#entry?.details.push(new Map());
    if (attributes.Ccy) this.#keep(`${name}@Ccy`, attributes.Ccy);
  }

  #add(text: string): void {
    this.#text += text;
    this.#entrySize += text.length;
    if (this.#entrySize > largestEntry && this.#entry)
      throw new Error(`The entry is longer than ${largestEntry} characters.`);
    if (!this.#entry && this.#text.length > largestEntry) this.#text = '';
  }

  #close(name: string): void {
    const text = this.#text.trim();
    if (text !== '') this.#keep(name, text);
    if (/\bAcct\/Id(\/Othr)?\/(IBAN|Id)$/.test(this.#path.join('/')) && !this.#entry) this.#account ||= text;
    this.#text = '';
    this.#path.pop();
    if (name === 'Ntry' && this.#entry) {
      const individual = this.#options.accounts.get(this.#account.replaceAll(/\s/g, '')) ?? this.#options.individual;
      this.#entries += 1;
      this.#rows.push(...this.#statement.rowsOf(this.#entry, this.#account, individual));
      this.#entry = undefined;
    }
  }

  /** Keeps a text under its path below the entry, or below the transaction inside it. */
  #keep(name: string, text: string): void {
    if (!this.#entry) return;
    const inside = this.#path.lastIndexOf('TxDtls');
    const from = inside >= 0 ? inside : this.#path.indexOf('Ntry');
    const target = inside >= 0 ? this.#entry.details.at(-1)! : this.#entry.texts;
    const key = [...this.#path.slice(from + 1, -1), name].join('/');
    const texts = target.get(key);
    if (texts) texts.push(text);
    else target.set(key, [text]);
  }
}

function describeRoot(name: string, attributes: Record<string, string>): string {
  const [prefix] = name.split(':', 1);
  const namespace = name.includes(':') ? attributes[`xmlns:${prefix}`] : attributes.xmlns;
  return `root element ${name}${namespace ? ` of the namespace ${namespace}` : ''}`;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
