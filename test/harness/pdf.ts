/** What a reader of a PDF gets: its text by line and page, and its structure. */
import { getDocumentProxy } from 'unpdf';
import type { StatementHead } from '../../src/statements/statement.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

export interface ReadPdf {
  pages: string[][];
  title: string | undefined;
  language: string | undefined;
  /** The kinds of elements in the structure of the first page, in order. */
  roles: string[];
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const pages: string[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) pages.push(await readLines(document, number));
  const { info } = await document.getMetadata();
  const first = await document.getPage(1);
  const read = {
    pages,
    title: (info as { Title?: string }).Title,
    language: (info as { Language?: string }).Language,
    roles: rolesOf(await first.getStructTree()),
  };
  await document.destroy();
  return read;
}

/** Pieces on one height are one line, from left to right. */
async function readLines(document: PdfDocument, number: number): Promise<string[]> {
  const { items } = await (await document.getPage(number)).getTextContent();
  const byHeight = new Map<number, { x: number; text: string }[]>();
  for (const item of items) {
    if (!('str' in item) || item.str.trim() === '') continue;
    const [x, y] = item.transform.slice(4) as [number, number];
    const height = Math.round(y);
    byHeight.set(height, [...(byHeight.get(height) ?? []), { x, text: item.str }]);
  }
  return [...byHeight]
    .sort(([a], [b]) => b - a)
    .map(([, pieces]) =>
      pieces
        .sort((a, b) => a.x - b.x)
        .map(({ text }) => text)
        .join(' '),
    );
}

interface Node {
  role?: string;
  children?: object[];
}

function rolesOf(node: Node | null): string[] {
  if (!node) return [];
  return [...(node.role === undefined ? [] : [node.role]), ...(node.children ?? []).flatMap(rolesOf)];
}

/** The head of a statement without rows. */
export const emptyHead: StatementHead = {
  individualId: 1,
  locale: 'en',
  timeZone: 'UTC',
  madeAt: '2026-01-01T00:00:00Z',
  brand: 'Acme Pay',
  from: undefined,
  to: undefined,
  filters: [],
  rowCount: 0,
  totals: [],
  months: [],
  holder: { name: undefined, iban: undefined },
  extraFont: undefined,
};
