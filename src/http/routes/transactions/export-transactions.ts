import { Readable } from 'node:stream';
import type { ExportFormat, ExportReply, ExportRequest } from '../../../transactions/export/export-transactions.ts';
import { boolean } from '../../../formats/record.ts';
import { body, int32, required, withDefault } from '../../../formats/shape.ts';
import { acceptedWeight } from '../../encoding.ts';
import { operation } from '../../operation.ts';
import { exampleTransaction } from './transaction-shape.ts';
import { checkRanges, filterMembers, filterOf } from '../../../transactions/filter-input.ts';

const input = body(
  'ExportTransactionsRequest',
  {
    individualId: required(int32(), 'Customer identifier.'),
    ...filterMembers,
    details: withDefault(boolean(), false, 'Whether the rows have their details.'),
  },
  checkRanges,
);

const mediaTypes: Record<ExportFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

export const exportTransactionsOperation = (exportTransactions: (request: ExportRequest) => Promise<ExportReply>) =>
  operation({
    name: 'export-transactions',
    method: 'POST',
    path: '/app/export-transactions',
    tag: 'Transactions',
    summary: 'Export transactions',
    about:
      'Exactly the rows that the list would return, as a stream: text/csv, or application/x-ndjson if Accept prefers it. ' +
      'A cell that a spreadsheet would read as a formula starts with an apostrophe. With `details`, a row also has the ' +
      'details that were recorded; CSV has a column for each of them.',
    scopes: ['transactions:read'],
    input,
    example: { individualId: 1, timestampFrom: '2026-01-01T00:00:00Z' },
    responses: {
      200: {
        about: 'The rows.',
        contentType: Object.values(mediaTypes),
        examples: {
          [mediaTypes.csv]: `${Object.keys(exampleTransaction).join(',')}\r\n${Object.values(exampleTransaction).join(',')}\r\n`,
          [mediaTypes.ndjson]: `${JSON.stringify(exampleTransaction)}\n`,
        },
        headers: { 'As-Of': 'Pins the rows that were exported.', 'Content-Disposition': 'A name for the file.' },
      },
    },
    errors: ['unknown-individual', 'no-transactions', 'too-many-streams'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: values, request, owner }) {
      const { individualId } = values;
      const format = preferredFormat(request.headers.accept);
      const { chunks, asOf } = await exportTransactions({
        individualId,
        filter: filterOf(values),
        asOf: values.asOf,
        hasDetails: values.details,
        owner,
        format,
      });
      return {
        status: 200,
        body: Readable.from(chunks),
        contentType: `${mediaTypes[format]}; charset=utf-8`,
        headers: {
          'as-of': asOf,
          'content-disposition': `attachment; filename="transactions-${individualId}.${format}"`,
        },
      };
    },
  });

/** Below every weight that can be given, except 0, which refuses the type. */
const unnamedWeight = 0.0001;

/** Accept never refuses. CSV is the default. */
function preferredFormat(accept = ''): ExportFormat {
  const weight = (type: string) => acceptedWeight(accept, type) ?? unnamedWeight;
  return weight(mediaTypes.ndjson) > weight(mediaTypes.csv) ? 'ndjson' : 'csv';
}
