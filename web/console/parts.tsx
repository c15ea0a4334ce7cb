/** What the console's views are made of. */
import type { ComponentChildren, Ref } from 'preact';

export function Complaint({ text }: { text: string | undefined }) {
  return text ? (
    <p class="complaint" role="alert">
      {text}
    </p>
  ) : null;
}

/** What was done, for those who cannot see the change. */
export function Said({ text }: { text: string }) {
  return (
    <p class="unseen" role="status">
      {text}
    </p>
  );
}

/** Where the focus goes when the button that was pressed goes away. */
export function PanelHeading({ id, of, children }: { id: string; of?: Ref<HTMLHeadingElement>; children: string }) {
  return (
    <h2 id={id} ref={of ?? null} tabIndex={-1}>
      {children}
    </h2>
  );
}

/** The next page of a list, where there is one. */
export function Older({ onClick }: { onClick: (() => void) | undefined }) {
  return onClick ? (
    <p class="older">
      <button type="button" class="quiet small" onClick={onClick}>
        Show older
      </button>
    </p>
  ) : null;
}

/** Until the first answer is there. */
export function Loading() {
  return (
    <p class="soft" role="status">
      Loading
    </p>
  );
}

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export const at = (instant: string) => <time dateTime={instant}>{time.format(new Date(instant))}</time>;
export const number = (value: number) => value.toLocaleString();

export interface TableRow {
  key: string | number;
  cells: ComponentChildren[];
}

interface TableProps {
  columns: string[];
  rows: TableRow[];
  /** The column that names its row. */
  headed?: number;
  numeric?: boolean;
}

/**
 * On a phone a row becomes a block, with the columns' names beside the cells. Style sheets that do so take a table's
 * meaning away, so the roles are said in words.
 */
export function Table({ columns, rows, headed = 0, numeric }: TableProps) {
  return (
    <table role="table" class={numeric ? 'table numeric' : 'table'}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column} role="columnheader" scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(({ key, cells }) => (
          <tr key={key} role="row">
            {cells.map((cell, index) =>
              index === headed ? (
                <th key={index} role="rowheader" scope="row" data-column={columns[index]}>
                  <div>{cell}</div>
                </th>
              ) : (
                <td key={index} role="cell" data-column={columns[index]}>
                  <div>{cell}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
