/** How much a caller may send about transactions. */

/** The longest text of each field, in UTF-16 code units. The limits apply to filters too. */
export const maxLengths = {
  transactionId: 64,
  transactionType: 64,
  transactionCategory: 64,
  transactionStatus: 64,
  senderName: 256,
  receiverName: 256,
  paymentNotes: 2000,
  paymentSystem: 64,
  /** For filters. In a row the currency has three letters. */
  currency: 64,
  search: 256,
};

/** The same for details. */
export const maxDetailLengths = {
  word: 64,
  merchant: 256,
  email: 256,
  purposeDet: 256,
  /** Also of accountNumber. */
  reference: 140,
  /** As JSON text without white space. */
  additionalData: 4096,
};

/** Rows in one JSON body. A stream of lines has no such limit. */
export const maxRowsInBody = 10_000;

/** The number of lines about rows in the answer to a stream. After that only the totals follow. */
export const maxReportedRows = 100_000;

/** How large one batch may be. A batch is one transaction of the database. */
export interface BatchLimits {
  rows: number;
  /** Length of the rows' texts. It limits the memory that a batch uses. */
  characters: number;
}

/** Batches of the service. Other requests are served between two of them. */
export const serviceBatch: BatchLimits = { rows: 1000, characters: 2 * 1024 * 1024 };

/** Batches of `ledgerline import`. Its process does nothing else. */
export const importBatch: BatchLimits = { rows: 8000, characters: 8 * 1024 * 1024 };
