/** Turns the entries of a camt.053 statement into rows, and decides which reference identifies each row. */
import { hash } from 'node:crypto';
import { JsonObject } from '../../formats/json.ts';
import type { IncomingRow } from '../record/ingest.ts';
import { maxLengths } from '../limits.ts';
import { camtDetails } from './camt-details.ts';
import { firstText, type Part, type Texts } from './camt-texts.ts';
import { incoming, unreadable } from './ndjson.ts';
import { cutText } from '../transaction.ts';

export interface Entry {
  line: number;
  /** Its number in the file, from 1. */
  number: number;
  texts: Texts;
  /** The texts of each transaction (TxDtls) inside the entry. */
  details: Texts[];
}

/**
 * References that ISO 20022 defines as unique, in the order in which they replace a missing AcctSvcrRef. InstrId and
 * EndToEndId are not among them: the payer chooses them, and a standing order uses the same one every month. NtryRef
 * is not either: many banks count it from 1 in each statement.
 */
const otherReferences = ['Refs/AcctSvcrTxId', 'Refs/UETR', 'Refs/TxId', 'Refs/ClrSysRef'];

const statuses: Record<string, string> = { BOOK: 'Accepted', PDNG: 'Pending' };
/** Statuses of entries about money that has not moved. These entries are left out. */
const statusesLeftOut = new Set(['INFO', 'FUTR']);

const families: Record<string, string> = {
  CCRD: 'CARD',
  MCRD: 'CARD',
  ICDT: 'SEPA',
  RCDT: 'SEPA',
  IDDT: 'SEPA',
  RDDT: 'SEPA',
};

/** The entries of one statement. Equal entries without a reference are distinguished by their order in it. */
export class CamtStatement {
  readonly #timesSeen = new Map<string, number>();

  rowsOf(entry: Entry, account: string, individual: string | undefined): IncomingRow[] {
    const { line, number, texts } = entry;
    if (individual === undefined) {
      return [
        unreadable(
          line,
          `No individual is known for the account ${account} of entry ${number}; give --individual or --accounts.`,
        ),
      ];
    }
    const status = statusOf(texts);
    if (statusesLeftOut.has(status)) {
      return [unreadable(line, `Entry ${number} has the status ${status}: no money has moved, so it is left out.`)];
    }
    return partsOf(entry).map((part) => {
      const reference = referenceOf(part);
      if (reference === undefined && status === 'PDNG') {
        return unreadable(
          line,
          `Entry ${number} is pending and has no reference by which its booking could be recognised, so it is left out.`,
        );
      }
      const transactionId = reference ?? this.#digestOf(part, account);
      const details = camtDetails(part, account, directionOf(part));
      return incoming(line, JsonObject.of({ individualId: individual, transactionId, ...membersOf(part), ...details }));
    });
  }

  #digestOf({ entry, detail }: Part, account: string): string {
    // NtryRef may be the position of the entry in the statement, which differs between statements that overlap.
    const content = [...entry].filter(([key]) => key !== 'NtryRef');
    const digest = hash('sha256', JSON.stringify([account, content, [...detail]])).slice(0, 32);
    const times = (this.#timesSeen.get(digest) ?? 0) + 1;
    this.#timesSeen.set(digest, times);
    return times === 1 ? `camt-${digest}` : `camt-${digest}-${times}`;
  }
}

/** A batch booking is split if each of its transactions has an amount; otherwise the sum would be wrong. */
function partsOf({ texts: entry, details }: Entry): Part[] {
  const isBatch = details.length > 1 && details.every((detail) => amountOf(detail) !== undefined);
  if (!isBatch) return [{ entry, detail: details.length === 1 ? details[0]! : new Map(), isOfBatch: false }];
  const references = details.map((detail) => firstText(detail, 'Refs/AcctSvcrRef'));
  return details.map((detail, index) => {
    // Some banks repeat the reference of the entry in each transaction: it does not distinguish them.
    const isRepeated = references.indexOf(references[index]) !== references.lastIndexOf(references[index]);
    if (!isRepeated) return { entry, detail, isOfBatch: true };
    const { ['Refs/AcctSvcrRef']: _, ...others } = Object.fromEntries(detail);
    return { entry, detail: new Map(Object.entries(others)), isOfBatch: true };
  });
}

/** Undefined if the bank gave no unique reference. */
function referenceOf({ entry, detail, isOfBatch }: Part): string | undefined {
  const own = firstText(detail, 'Refs/AcctSvcrRef');
  const bankReference = isOfBatch ? own : (firstText(entry, 'AcctSvcrRef') ?? own);
  if (bankReference) return bankReference;
  const other = firstText(detail, ...otherReferences);
  // Payer and payee share these references. Both accounts may belong to one individual, and a returned payment keeps
  // its reference.
  return other && `${other}/${directionOf({ entry, detail, isOfBatch })}`;
}

function membersOf(part: Part) {
  const { entry, detail, isOfBatch } = part;
  const direction = directionOf(part);
  const status = statusOf(entry);
  const system =
    families[firstText(entry, 'BkTxCd/Domn/Fmly/Cd') ?? firstText(detail, 'BkTxCd/Domn/Fmly/Cd') ?? ''] ?? '';
  const party = (role: string) => firstText(detail, `RltdPties/${role}/Pty/Nm`, `RltdPties/${role}/Nm`) ?? '';
  return {
    amount: (isOfBatch && amountOf(detail)) || firstText(entry, 'Amt') || '',
    currency: (isOfBatch && firstText(detail, 'Amt@Ccy', 'AmtDtls/TxAmt/Amt@Ccy')) || firstText(entry, 'Amt@Ccy') || '',
    timeStamp: firstText(entry, 'BookgDt/DtTm', 'BookgDt/Dt', 'ValDt/DtTm', 'ValDt/Dt') ?? '',
    transactionType: system,
    transactionCategory: direction === 'DBIT' ? 'Debit' : direction === 'CRDT' ? 'Credit' : '',
    transactionStatus: statuses[status] ?? status,
    senderName: party('Dbtr'),
    receiverName: party('Cdtr'),
    paymentNotes: cutText(
      (detail.get('RmtInf/Ustrd') ?? entry.get('AddtlNtryInf') ?? []).join(' '),
      maxLengths.paymentNotes,
    ),
    paymentSystem: system,
  };
}

function amountOf(detail: Texts): string | undefined {
  return firstText(detail, 'Amt', 'AmtDtls/TxAmt/Amt');
}

function statusOf(entry: Texts): string {
  return firstText(entry, 'Sts', 'Sts/Cd') ?? '';
}

function directionOf({ entry, detail, isOfBatch }: Part): string {
  return (isOfBatch && firstText(detail, 'CdtDbtInd')) || firstText(entry, 'CdtDbtInd') || '';
}
