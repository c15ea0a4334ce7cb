import { body, filterText, int32, optional, required, withDefault } from '../../../formats/shape.ts';
import { checkRanges, filterMembers, filterOf } from '../../../transactions/filter-input.ts';
import { maxLengths } from '../../../transactions/limits.ts';
import { localeMessage, parseLocale } from '../../../transactions/locale.ts';
import type { ConfirmationRequest } from '../../../transactions/export/make-confirmation.ts';
import {
  maxStatementRows,
  type StatementReply,
  type StatementRequest,
} from '../../../transactions/export/make-statement.ts';
import { operation } from '../../operation.ts';
import { timeZoneMember } from './time-zone-member.ts';

const input = body(
  'StatementRequest',
  {
    individualId: required(int32(), 'Customer identifier.'),
    timeZone: timeZoneMember('IANA time zone of the dates.'),
    locale: withDefault(
      filterText({ parse: parseLocale, message: localeMessage }),
      'en',
      'BCP 47 language tag: the language of the labels (en, de, fr, es, pt, it, ar or ja), and the format of dates and amounts.',
    ),
    transactionId: optional(
      filterText({ trim: true, maxLength: maxLengths.transactionId }),
      'Only this transaction, as a confirmation. The filters are then ignored.',
    ),
    ...filterMembers,
  },
  checkRanges,
);

interface StatementServices {
  makeStatement(request: StatementRequest): Promise<StatementReply>;
  makeConfirmation(request: ConfirmationRequest): Promise<StatementReply>;
}

export const statementOperation = ({ makeStatement, makeConfirmation }: StatementServices) =>
  operation({
    name: 'statement',
    method: 'POST',
    path: '/app/statement',
    tag: 'Transactions',
    summary: 'Make a statement as PDF',
    about:
      'The rows that the list would return, oldest first, one line each, with totals by currency and month. The PDF has real text and a structure for ' +
      `screen readers. A statement has at most ${maxStatementRows} rows; more are a 400. ` +
      'With transactionId: a confirmation of that transaction.',
    scopes: ['transactions:read'],
    input,
    example: {
      individualId: 1,
      timestampFrom: '2026-01-01T00:00:00Z',
      timestampTo: '2026-01-31T23:59:59Z',
      timeZone: 'Europe/Berlin',
      locale: 'de',
    },
    responses: {
      200: {
        about: 'The statement.',
        contentType: 'application/pdf',
        headers: { 'As-Of': 'Pins the rows of the statement.', 'Content-Disposition': 'A name for the file.' },
      },
    },
    errors: ['unknown-individual', 'no-transactions', 'unknown-transaction', 'too-many-streams'],
    namesUser: ({ body: { individualId } }) => individualId,
    async handle({ body: values, owner }) {
      const { individualId, transactionId, timeZone, locale } = values;
      const common = { individualId, timeZone, locale, owner };
      const { chunks, asOf } =
        transactionId === undefined
          ? await makeStatement({ ...common, filter: filterOf(values), asOf: values.asOf })
          : await makeConfirmation({ ...common, transactionId });
      return {
        status: 200,
        body: chunks,
        contentType: 'application/pdf',
        headers: {
          'as-of': asOf,
          'content-disposition': `attachment; filename="statement-${individualId}.pdf"`,
        },
      };
    },
  });
