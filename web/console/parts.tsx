/** Parts that the views of the console share. */
import type { ComponentChildren, Ref } from 'preact';
import { formatClock, formatTime } from './format.ts';
import type { Requested } from './requests.ts';
import { t } from './texts.ts';

export function Complaint({ text }: { text: string | undefined }) {
  return text ? (
    <p class="complaint" role="alert">
      {text}
    </p>
  ) : null;
}

/** What was done, for screen readers. */
export function Done({ text }: { text: string }) {
  return (
    <p class="unseen" role="status">
      {text}
    </p>
  );
}

type Shown = Pick<Requested<unknown>, 'value' | 'updatedAt' | 'error'>;

interface ViewTitleProps {
  title: string;
  /** Everything that the view shows. */
  requests: Shown[];
  children?: ComponentChildren;
}

export function ViewTitle({ title, requests, children }: ViewTitleProps) {
  return (
    <>
      <header class="view-title">
        <h1>{title}</h1>
        <Updated requests={requests} />
        {children}
      </header>
      <Failure requests={requests} />
    </>
  );
}

/** How old the values on screen are. */
export function Updated({ requests }: { requests: Shown[] }) {
  const time = updatedAt(requests);
  return time && !isStale(...requests) ? <p class="updated">{t.common.updatedAt(time)}</p> : null;
}

/** A failure, and the time of the values on screen. */
export function Failure({ requests }: { requests: Shown[] }) {
  const error = requests.find((request) => request.error)?.error;
  const time = updatedAt(requests);
  return <Complaint text={error && (time ? t.common.staleSince(error, time) : error)} />;
}

function updatedAt(requests: Shown[]): string | undefined {
  const updates = requests.flatMap((request) => (request.updatedAt ? [request.updatedAt.getTime()] : []));
  return updates.length === requests.length ? formatClock(new Date(Math.min(...updates))) : undefined;
}

/** Whether the values on screen may be outdated. */
export function isStale(...requests: Pick<Requested<unknown>, 'error'>[]): boolean {
  return requests.some(({ error }) => error !== undefined);
}

interface PanelHeadingProps {
  id: string;
  headingRef?: Ref<HTMLHeadingElement>;
  children: ComponentChildren;
}

/** It gets the focus when the button that was pressed disappears. */
export function PanelHeading({ id, headingRef, children }: PanelHeadingProps) {
  return (
    <h2 id={id} ref={headingRef ?? null} tabIndex={-1}>
      {children}
    </h2>
  );
}

/** A button for the next page of a list, if there is one. */
export function Older({ onClick }: { onClick: (() => void) | undefined }) {
  return onClick ? (
    <p class="older">
      <button type="button" class="quiet small" onClick={onClick}>
        {t.common.showOlder}
      </button>
    </p>
  ) : null;
}

/** Shown until the first answer is there. */
export function Loading() {
  return (
    <p class="soft" role="status">
      {t.common.loading}
    </p>
  );
}

export function Time({ instant }: { instant: string }) {
  return <time dateTime={instant}>{formatTime(instant)}</time>;
}

export interface TableRow {
  key: string | number;
  cells: ComponentChildren[];
}

interface TableProps {
  columns: string[];
  rows: TableRow[];
  /** The column that names its row. */
  headingColumn?: number;
  isNumeric?: boolean;
  /** Whether the last column contains a control, which a phone shows next to the heading of the row. */
  hasControl?: boolean;
}

/**
 * On a phone a row becomes a few lines, in which the names of the columns precede the cells. With such styles a table
 * loses its roles, so they are set as attributes.
 */
export function Table({ columns, rows, headingColumn = 0, isNumeric, hasControl }: TableProps) {
  const kinds = [isNumeric && 'numeric', hasControl && 'with-control'].filter(Boolean);
  return (
    <table role="table" class={['table', ...kinds].join(' ')}>
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
              index === headingColumn ? (
                <th key={index} role="rowheader" scope="row" data-column={columns[index]}>
                  <div>{cell}</div>
                </th>
              ) : (
                <td key={index} role="cell" data-column={columns[index]} data-empty={isEmpty(cell) || undefined}>
                  <div>{cell ?? '–'}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A phone leaves out empty cells. */
function isEmpty(cell: ComponentChildren): boolean {
  return cell === null || cell === 0;
}

/** On a phone a list shows fewer entries at first. */
export function pageSizeOf(wide: number, narrow: number): number {
  return matchMedia('(max-width: 44rem)').matches ? narrow : wide;
}
