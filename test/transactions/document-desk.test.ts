/** Documents, as the desk makes them: threads and slots are free again however a document ends. */
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { serviceItself } from '../../src/sharing/slots.ts';
import type { StatementRow } from '../../src/statements/statement.ts';
import { openWriter } from '../../src/statements/statement-writer.ts';
import { DocumentDesk, type DocumentRequest } from '../../src/transactions/export/make-statement.ts';
import { emptyHead, readPdf } from '../harness/pdf.ts';
import { row } from '../harness/service.ts';
import { sized } from '../harness/size.ts';
import { until } from '../harness/until.ts';

/** An order of a document with so many rows, each with so many characters in its note. */
const orderOf = (rowCount: number, characters: number): DocumentRequest => ({
  owner: serviceItself,
  rowCount,
  bodies: (async function* () {
    const texts = { transactionType: 'card', senderName: 'Ada', receiverName: 'Grace', paymentSystem: '' };
    const body = row(1, { ...texts, transactionCategory: 'debit', paymentNotes: 'x '.repeat(characters / 2) });
    yield Array.from({ length: rowCount }, () => JSON.stringify(body));
  })(),
  open: () => openWriter({ kind: 'statement', head: emptyHead }),
});

it('a document that is not read is made, and then occupies no thread and no slot', async () => {
  const desk = new DocumentDesk(8, (work) => work());
  const document = await desk.make(orderOf(250, 20));
  expect([desk.making, desk.open]).toEqual([1, 1]);
  await until(() => desk.making === 0);
  expect(desk.open).toBe(1);
  const { pages } = await readPdf(new Uint8Array(await buffer(document)));
  expect(pages.length).toBeGreaterThan(1);
  await until(() => desk.open === 0);
});

it('a document whose reader leaves ends in the middle of a part, and frees its slots', async () => {
  const desk = new DocumentDesk(8, (work) => work());
  let finishedParts = 0;
  const order = orderOf(200, 2);
  const open = () => {
    const writer = order.open([]);
    const write = async (rows: StatementRow[]) => {
      // The second part takes about ten seconds of processor time.
      const chunks = await writer.write(finishedParts === 0 ? rows : Array.from({ length: 100 }, () => rows).flat());
      finishedParts += 1;
      return chunks;
    };
    return { ...writer, write };
  };
  const document = await desk.make({ ...order, open });
  await until(() => finishedParts === 1);
  document.destroy();
  await until(() => desk.making === 0 && desk.open === 0);
  expect(finishedParts).toBe(1);
});

it('a document with more characters than a statement may have is refused before it is made', async () => {
  const desk = new DocumentDesk(8, (work) => work());
  await expect(desk.make(orderOf(100, 50_000))).rejects.toMatchObject({
    details: { errors: { TimestampFrom: [expect.stringMatching('at most 4000000 characters')] } },
  });
  await until(() => desk.making === 0 && desk.open === 0);
});

it('a document whose thread fails ends its stream with an error, and frees its slots', async () => {
  const desk = new DocumentDesk(8, (work) => work());
  const order = orderOf(1, 2);
  const document = await desk.make({
    ...order,
    open: () => openWriter({ kind: 'statement', head: { ...emptyHead, timeZone: 'Mars' } }),
  });
  await expect(buffer(document)).rejects.toThrow('Mars');
  await until(() => desk.making === 0 && desk.open === 0);
  // The next one gets another thread.
  const { pages } = await readPdf(new Uint8Array(await buffer(await desk.make(order))));
  expect(pages).toHaveLength(1);
});

it('documents that threads make one after the other have their own language, brand and rows, and nothing of the others', async () => {
  const desk = new DocumentDesk(16, (work) => work());
  const languages = ['en', 'de', 'ja', 'ar'];
  const read = await Promise.all(
    Array.from({ length: sized(8, 12) }, async (_, index) => {
      const own = { ...emptyHead, brand: `Brand${index}`, individualId: 100 + index, locale: languages[index % 4]! };
      const order = {
        ...orderOf(1 + index, 2),
        open: () => openWriter({ kind: 'statement', head: { ...own, rowCount: 1 + index } }),
      };
      return readPdf(new Uint8Array(await buffer(await desk.make(order))));
    }),
  );
  for (const [index, { pages, language }] of read.entries()) {
    const text = pages.flat().join('\n');
    expect(language).toBe(languages[index % 4]);
    expect(new Set(text.match(/Brand\d+/g))).toEqual(new Set([`Brand${index}`]));
    expect(text.match(/Grace/g)).toHaveLength(1 + index);
  }
});
