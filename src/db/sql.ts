/**
 * Statements as the stores write them: templates whose values become parameters. A statement is sent when it is awaited,
 * or it is a part of another one.
 */

// oxlint-disable-next-line no-explicit-any -- a statement alone says what its columns are
export type DatabaseRow = Record<string, any>;

/** `count`: how many rows the statement returned or changed. */
export type Rows<T = DatabaseRow> = T[] & { readonly count: number };

/** What PostgreSQL gets: values as text, bytes or null. */
export interface SentStatement {
  text: string;
  values: (string | Buffer | null)[];
  /** Whether the session keeps the statement prepared. */
  isPrepared: boolean;
}

export type Send = (statement: SentStatement) => Promise<Rows>;

export type Value = string | number | boolean | Date | Buffer | null;

export interface Sql {
  /** Dates, bytes and booleans are cast to their types, since PostgreSQL cannot always tell them from the context. */
  <T = DatabaseRow[]>(
    strings: TemplateStringsArray,
    ...values: readonly (Value | Statement | readonly Statement[])[]
  ): Statement<T>;
  /** A text with places for its parameters ($1). Without parameters it may contain several statements. */
  unsafe<T = DatabaseRow[]>(text: string, values?: readonly Value[], options?: { prepare?: boolean }): Statement<T>;
}

type Parts = Pick<SentStatement, 'text' | 'values'>;

/** `T`: an array of rows. */
export class Statement<T = DatabaseRow[]> implements PromiseLike<ResultOf<T>> {
  readonly #send: Send;
  readonly #isPrepared: boolean;
  /** Appends the text and the values. */
  readonly appendTo: (parts: Parts) => void;
  #result: Promise<ResultOf<T>> | undefined;

  constructor(send: Send, isPrepared: boolean, appendTo: (parts: Parts) => void) {
    this.#send = send;
    this.#isPrepared = isPrepared;
    this.appendTo = appendTo;
  }

  /** Sends the statement now, and not only when it is awaited. */
  execute(): Promise<ResultOf<T>> {
    try {
      this.#result ??= this.#send(this.build()) as unknown as Promise<ResultOf<T>>;
      return this.#result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Throws if one of the values cannot be sent. */
  build(): SentStatement {
    const parts: SentStatement = { text: '', values: [], isPrepared: this.#isPrepared };
    this.appendTo(parts);
    return parts;
  }

  // oxlint-disable-next-line no-thenable -- awaiting a statement sends it
  then<A = ResultOf<T>, B = never>(
    onRows?: ((rows: ResultOf<T>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.execute().then(onRows, onError);
  }

  catch<B>(onError: (error: unknown) => B | PromiseLike<B>): Promise<ResultOf<T> | B> {
    return this.execute().catch(onError);
  }
}

type ResultOf<T> = T extends readonly (infer Row)[] ? Rows<Row> : never;

export function createSql(send: Send): Sql {
  const tag = (strings: TemplateStringsArray, ...values: readonly unknown[]) =>
    new Statement(send, true, (parts) => appendTemplate(parts, strings, values));
  const unsafe = (text: string, values: readonly unknown[] = [], { prepare = false } = {}) =>
    new Statement(send, prepare, (parts) => appendText(parts, text, values));
  return Object.assign(tag, { unsafe }) as Sql;
}

function appendTemplate(parts: Parts, strings: TemplateStringsArray, values: readonly unknown[]): void {
  parts.text += strings[0];
  for (const [index, value] of values.entries()) {
    if (value instanceof Statement) value.appendTo(parts);
    else if (Array.isArray(value)) {
      for (const statement of value as readonly Statement[]) {
        statement.appendTo(parts);
        parts.text += ' ';
      }
    } else {
      parts.values.push(asSent(value));
      parts.text += `$${parts.values.length}${castOf(value)}`;
    }
    parts.text += strings[index + 1];
  }
}

function appendText(parts: Parts, text: string, values: readonly unknown[]): void {
  if (values.length > 0 && parts.text !== '') throw new TypeError('A text with parameters is part of a statement.');
  parts.text += text;
  for (const value of values) parts.values.push(asSent(value));
}

function castOf(value: unknown): string {
  if (typeof value === 'boolean') return '::boolean';
  if (value instanceof Date) return '::timestamptz';
  return Buffer.isBuffer(value) ? '::bytea' : '';
}

function asSent(value: unknown): string | Buffer | null {
  if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`A value of a statement is ${value === undefined ? 'undefined' : 'an object'}.`);
}
