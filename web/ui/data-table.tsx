/** A table whose rows can open something. In a narrow place a row becomes a heading and a few lines. */
import type { ComponentChildren } from 'preact';

export interface TableRow {
  key: string | number;
  cells: ComponentChildren[];
  /** What the row opens. A click anywhere on it follows the link of its heading. */
  href?: string;
  /** Whether that is open. */
  isChosen?: boolean | undefined;
}

interface DataTableProps {
  columns: string[];
  rows: TableRow[];
  /** The column that names its row. */
  headingColumn?: number | undefined;
  isNumeric?: boolean;
  /** Whether the last column contains a control, which a narrow table shows next to the heading of the row. */
  hasControl?: boolean;
}

/** With the styles of a narrow table it loses its roles, so they are set as attributes. */
export function DataTable({ columns, rows, headingColumn = 0, isNumeric, hasControl }: DataTableProps) {
  const kinds = [isNumeric && 'numeric-columns', hasControl && 'with-control'].filter(Boolean);
  return (
    <div class="data-table-place">
      <table role="table" class={['data-table', ...kinds].join(' ')}>
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
          {rows.map((row) => (
            <Row key={row.key} row={row} columns={columns} headingColumn={headingColumn} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  row: TableRow;
  columns: string[];
  headingColumn: number;
}

function Row({ row: { cells, href, isChosen }, columns, headingColumn }: RowProps) {
  return (
    <tr role="row" class={href === undefined ? undefined : 'opening-row'} onClick={href ? openRow : undefined}>
      {cells.map((cell, index) =>
        index === headingColumn ? (
          <th key={index} role="rowheader" scope="row" data-column={columns[index]}>
            <div>
              {href === undefined ? (
                cell
              ) : (
                <a class="row-link" href={href} aria-current={isChosen ? 'true' : undefined}>
                  {cell}
                </a>
              )}
            </div>
          </th>
        ) : (
          <td key={index} role="cell" data-column={columns[index]} data-empty={isEmpty(cell) || undefined}>
            <div>{cell ?? '–'}</div>
          </td>
        ),
      )}
    </tr>
  );
}

/** Not a click on a control in the row, nor one that ends the selection of a text. */
function openRow(event: MouseEvent): void {
  const isControl = (event.target as Element).closest('a, button, summary, input, select, label') !== null;
  if (isControl || String(getSelection()) !== '') return;
  const link = (event.currentTarget as Element).querySelector<HTMLElement>('.row-link')!;
  link.focus();
  link.click();
}

/** A narrow table leaves out empty cells. */
function isEmpty(cell: ComponentChildren): boolean {
  return cell === null || cell === 0;
}
