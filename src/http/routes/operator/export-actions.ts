import { Readable } from 'node:stream';
import { withoutFormulas, writeCsvRecord } from '../../../formats/csv-writer.ts';
import type { Audit } from '../../../audit/audit.ts';
import { operation, operatorRead } from '../../operation.ts';
import { query } from '../../query-shape.ts';
import { actionFilter } from './actions.ts';

const columns = ['id', 'at', 'subject', 'client', 'action', 'target', 'detail', 'reason', 'userId'] as const;
const mediaType = 'text/csv';

type Row = Record<(typeof columns)[number], string | number | Date | null>;

export const operatorExportActionsOperation = (audit: Audit) =>
  operation({
    ...operatorRead,
    name: 'operator-export-actions',
    method: 'GET',
    path: '/operator/actions/export',
    summary: 'Export operator actions',
    about:
      'The actions as CSV, newest first, at most the latest 100,000. A cell that a spreadsheet would read as a formula starts with an apostrophe.',
    query: query(actionFilter),
    responses: {
      200: {
        about: 'The actions.',
        contentType: mediaType,
        headers: { 'Content-Disposition': 'A name for the file.' },
        examples: {
          [mediaType]: `${columns.join(',')}\r\n17,2026-03-01T09:30:00.000Z,ops@example.com,console,lift,user 4,,The customer called.,4\r\n`,
        },
      },
    },
    handle: ({ query: filter, owner }) => ({
      status: 200,
      body: Readable.from(writeRows(audit.exportActions(filter, owner))),
      contentType: `${mediaType}; charset=utf-8`,
      headers: { 'content-disposition': 'attachment; filename="audit.csv"' },
    }),
  });

async function* writeRows(pages: AsyncIterable<Row[]>): AsyncGenerator<string, void> {
  yield writeCsvRecord(columns);
  for await (const rows of pages) {
    yield rows.map((row) => writeCsvRecord(columns.map((column) => cellOf(row[column])))).join('');
  }
}

function cellOf(value: string | number | Date | null): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? withoutFormulas(value) : String(value ?? '');
}
