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

interface TableProps {
  columns: string[];
  numeric?: boolean;
  children: ComponentChildren;
}

/** Wider than a phone, it scrolls in its own box. */
export function Table({ columns, numeric, children }: TableProps) {
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label={`Table: ${columns.join(', ')}`}>
      <table class={numeric ? 'numeric' : ''}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
