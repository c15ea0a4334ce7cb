/** `ledgerline import-users`: users from CSV or NDJSON with the columns id, phone, verified. */
import { StartError, type FieldErrors } from '../errors.ts';
import { readJson } from '../formats/json-reader.ts';
import { JsonObject, MalformedJson, type Json } from '../formats/json.ts';
import { loneReturns, readLines } from '../formats/lines.ts';
import { readUser } from '../users/import-users.ts';
import { createUsersStore } from '../users/users.store.ts';
import type { ImportedUser, ImportUserResult } from '../users/user.ts';
import { withDatabase } from './database.ts';
import { openInput } from './input.ts';
import { count } from './progress.ts';
import { openReport } from './report.ts';

const batchSize = 1000;

const phoneProblems: Record<NonNullable<ImportUserResult['phoneProblem']>, string> = {
  taken: 'The phone is verified by another user.',
  'other-phone': 'The user has verified another phone.',
  'earlier-line': 'An earlier line has another phone for this user.',
};

export async function importUsers(file: string, options: { report?: string }): Promise<number> {
  const { chunks, progress } = await openInput(file);
  const report = await openReport(options.report, file);
  const totals = { created: 0, known: 0, withoutPhone: 0, refused: 0 };

  function refuse(line: number, errors: FieldErrors): void {
    totals.refused += 1;
    report.add({ line, result: 'refused', errors });
  }

  await withDatabase(2, async ({ db, clock }) => {
    const store = createUsersStore(db);
    let batch: { line: number; user: ImportedUser }[] = [];
    const flush = async () => {
      const results = await store.importUsers(
        batch.map(({ user }) => user),
        clock.now(),
      );
      results.forEach(({ user, phoneProblem }, index) => {
        const { line } = batch[index]!;
        if (user === 'erased') return refuse(line, { Id: ['The user was erased, and the id is not given out again.'] });
        totals[user] += 1;
        if (!phoneProblem) return;
        totals.withoutPhone += 1;
        report.add({ line, result: 'without-phone', errors: { Phone: [phoneProblems[phoneProblem]] } });
      });
      progress.addRows(batch.length);
      batch = [];
    };
    for await (const { line, ...read } of readUsers(chunks)) {
      const reading = 'problem' in read ? { errors: { $: [read.problem] } } : readUser(read.json);
      if ('user' in reading) batch.push({ line, user: reading.user });
      else refuse(line, reading.errors);
      if (batch.length >= batchSize) await flush();
    }
    if (batch.length > 0) await flush();
  });
  progress.end();
  const isReportComplete = await report.end();
  const isEmpty = totals.created + totals.known + totals.refused === 0;
  const withoutPhone = totals.withoutPhone > 0 ? `, of which ${count(totals.withoutPhone)} without the phone` : '';
  console.log(
    `${count(totals.created)} created, ${count(totals.known)} known already${withoutPhone}, ${count(totals.refused)} refused.` +
      (isEmpty ? ' The input has no users.' : ''),
  );
  if (!isReportComplete) return 1;
  return totals.refused + totals.withoutPhone > 0 ? 2 : 0;
}

type Read = { line: number; json: Json } | { line: number; problem: string };

/** JSON if the first line starts with a brace, otherwise CSV with a header. */
async function* readUsers(chunks: AsyncIterable<Buffer>): AsyncGenerator<Read> {
  let header: string[] | undefined;
  let isFirst = true;
  for await (const lines of readLines(chunks)) {
    for (const { lineNumber: line, text, problem } of lines) {
      if (text === undefined) {
        yield { line, problem: problem! };
      } else if (isFirst && !text.trimStart().startsWith('{')) {
        header = headerOf(text, line);
      } else {
        yield header ? { line, json: fromCells(header, text) } : fromJson(line, text);
      }
      isFirst = false;
    }
  }
}

/** No id and no phone number contains a comma, so no cell needs quotes. */
function cellsOf(text: string): string[] {
  return text.split(',').map((cell) => cell.trim().replaceAll(/^"|"$/g, ''));
}

function headerOf(text: string, line: number): string[] {
  if (text.trimEnd().includes('\r')) throw new StartError(`line ${line}: ${loneReturns}.`);
  const header = cellsOf(text);
  const names = header.map((name) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated) throw new StartError(`line ${line}: there are several columns ${repeated}.`);
  if (names.includes('id')) return header;
  throw new StartError(`line ${line}: there is no column id; the columns are ${header.join(' | ')}.`);
}

function fromCells(header: string[], text: string): JsonObject {
  const cells = cellsOf(text);
  return new JsonObject(
    header,
    header.map((_, index) => cells[index] ?? null),
  );
}

function fromJson(line: number, text: string): Read {
  const json = readJson(text);
  return json instanceof MalformedJson ? { line, problem: json.message } : { line, json };
}
