/** The filter and the open sheet, kept in the address bar if the host page wants that. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Transaction } from '../../../client/index.ts';
import { isSameFilter, noFilter, readAddress, usableFilter, writeAddress, type Filter } from './filter.ts';
import { useViewer } from './viewer.ts';

/** After the prefix. */
const transactionParameter = 'transaction';

export type OpenSheet = { kind: 'filters' } | { kind: 'transaction'; id: string; transaction: Transaction | undefined };

/** The state of a history entry that was added for a sheet. */
interface SheetState {
  ledgerlineSheet?: OpenSheet['kind'] | undefined;
}

const sheetState = () => (history.state as SheetState | null)?.ledgerlineSheet;

/** The host page's own state is kept. */
function stateWith(ledgerlineSheet: SheetState['ledgerlineSheet']): SheetState {
  return { ...(history.state as SheetState | null), ledgerlineSheet };
}

function sheetInAddress(prefix: string): OpenSheet | undefined {
  const id = new URL(location.href).searchParams.get(prefix + transactionParameter);
  if (id) return { kind: 'transaction', id, transaction: undefined };
  return sheetState() === 'filters' ? { kind: 'filters' } : undefined;
}

function addressOf(prefix: string, filter: Filter, sheet: OpenSheet | undefined): URL {
  const address = writeAddress(new URL(location.href), filter, prefix);
  const parameter = prefix + transactionParameter;
  if (sheet?.kind === 'transaction') address.searchParams.set(parameter, sheet.id);
  else address.searchParams.delete(parameter);
  return address;
}

export interface Address {
  filter: Filter;
  sheet: OpenSheet | undefined;
  /** Changes some members of the filter, and closes the sheet. */
  change(members: Partial<Filter>): void;
  open(sheet: OpenSheet): void;
  close(): void;
}

/** An open sheet has its own history entry, so that Back closes the sheet instead of leaving the page. */
export function useAddress(): Address {
  const { addressPrefix: prefix } = useViewer();
  const inAddressBar = prefix !== undefined;
  const [filter, setFilter] = useState(() => (inAddressBar ? readAddress(new URL(location.href), prefix) : noFilter));
  const [sheet, setSheet] = useState(() => (inAddressBar ? sheetInAddress(prefix) : undefined));
  // There can be two changes before the screen is drawn again; the second one must not undo the first.
  const latest = useRef(filter);

  function keep(next: Filter): void {
    // The same object, so that a closed sheet does not load the list again.
    if (isSameFilter(latest.current, next)) return;
    latest.current = next;
    setFilter(next);
  }

  useLayoutEffect(() => {
    if (!inAddressBar) return;
    const read = () => {
      keep(readAddress(new URL(location.href), prefix));
      setSheet(sheetInAddress(prefix));
    };
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, [prefix]);

  return {
    filter,
    sheet,
    change(members) {
      const next = usableFilter({ ...latest.current, ...members });
      if (inAddressBar) history.replaceState(stateWith(undefined), '', addressOf(prefix, next, undefined));
      setSheet(undefined);
      keep(next);
    },
    open(next) {
      // From one transaction to the next in the same sheet: Back closes the sheet.
      const isOpen = sheet?.kind === next.kind && sheetState() !== undefined;
      if (inAddressBar && isOpen) history.replaceState(history.state, '', addressOf(prefix, latest.current, next));
      else if (inAddressBar) history.pushState(stateWith(next.kind), '', addressOf(prefix, latest.current, next));
      setSheet(next);
    },
    close() {
      if (inAddressBar && sheetState()) return history.back();
      if (inAddressBar) history.replaceState(stateWith(undefined), '', addressOf(prefix, latest.current, undefined));
      setSheet(undefined);
    },
  };
}
