/** What slides over the list: the filters, and one transaction. Native dialogs keep the focus and give it back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Transaction } from '../../client/index.ts';
import { addDays } from './dates.ts';
import { noFilter, type Filter } from './filter.ts';
import { Icon } from './icons.tsx';
import { troubleOf } from './use-activity.ts';
import { counterparty, directionOf, isVoid, signedAmount, useViewer } from './viewer.ts';

interface SheetProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

function Sheet({ title, onClose, children }: SheetProps) {
  const { texts } = useViewer();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current!.close()}
    >
      <div class="sheet-body">
        <header>
          <h2>{title}</h2>
          <button type="button" class="round" aria-label={texts.close} onClick={() => dialog.current!.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

export interface FilterSheetProps {
  filter: Filter;
  today: string;
  currencies: string[];
  onApply(filter: Filter): void;
  onClose(): void;
}

export function FilterSheet({ filter, today, currencies, onApply, onClose }: FilterSheetProps) {
  const { texts, locale } = useViewer();
  const [draft, setDraft] = useState(filter);
  const [complaint, setComplaint] = useState<string>();
  const set = (name: keyof Filter) => (event: Event) =>
    setDraft({ ...draft, [name]: (event.currentTarget as HTMLInputElement).value.trim() });
  const ranges = rangesUpTo(today);

  function submit(event: Event): void {
    event.preventDefault();
    const amounts = [draft.amountFrom, draft.amountTo].map((text) => plainAmount(text, locale));
    const [amountFrom, amountTo] = amounts;
    if (amountFrom === undefined || amountTo === undefined) return setComplaint(texts.badAmount);
    const crossed = draft.from && draft.to && draft.from > draft.to;
    if (crossed || (amountFrom && amountTo && Number(amountFrom) > Number(amountTo))) {
      return setComplaint(texts.badRange);
    }
    onApply({ ...draft, amountFrom, amountTo });
  }

  return (
    <Sheet title={texts.filters} onClose={onClose}>
      <form class="filters" onSubmit={submit} noValidate>
        <fieldset>
          <legend>{texts.dates}</legend>
          <div class="chips">
            {ranges.map(({ name, from, to }) => (
              <button
                type="button"
                key={name}
                class="chip"
                aria-pressed={draft.from === from && draft.to === to}
                onClick={() => setDraft({ ...draft, from, to })}
              >
                {texts[name]}
              </button>
            ))}
          </div>
          <div class="pair">
            <label>
              {texts.from}
              <input type="date" value={draft.from} max={draft.to || undefined} onInput={set('from')} />
            </label>
            <label>
              {texts.to}
              <input type="date" value={draft.to} min={draft.from || undefined} onInput={set('to')} />
            </label>
          </div>
        </fieldset>
        <fieldset>
          <legend>{texts.amount}</legend>
          <div class="pair">
            <label>
              {texts.least}
              <input inputMode="decimal" value={draft.amountFrom} onInput={set('amountFrom')} autoComplete="off" />
            </label>
            <label>
              {texts.most}
              <input inputMode="decimal" value={draft.amountTo} onInput={set('amountTo')} autoComplete="off" />
            </label>
          </div>
        </fieldset>
        <Choice label={texts.type} value={draft.type} onInput={set('type')} options={texts.types} />
        <Choice label={texts.status} value={draft.status} onInput={set('status')} options={texts.statuses} />
        {(currencies.length > 1 || draft.currency) && (
          <Choice
            label={texts.currency}
            value={draft.currency}
            onInput={set('currency')}
            options={Object.fromEntries(currencies.map((code) => [code, code]))}
          />
        )}
        {complaint && (
          <p class="complaint" role="alert">
            {complaint}
          </p>
        )}
        <footer>
          <button type="button" class="quiet" onClick={() => onApply(noFilter)}>
            {texts.clear}
          </button>
          <button type="submit" class="primary">
            {texts.apply}
          </button>
        </footer>
      </form>
    </Sheet>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: Record<string, string>;
  onInput(event: Event): void;
}

function Choice({ label, value, options, onInput }: ChoiceProps) {
  const { texts } = useViewer();
  // A value from an address may be none of those we know; open sets have others.
  const known = value === '' || value in options;
  return (
    <label>
      {label}
      <select value={value} onInput={onInput}>
        <option value="">{texts.any}</option>
        {!known && <option value={value}>{value}</option>}
        {Object.entries(options).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Undefined for what is no amount. A comma is what half the world types for a point. */
function plainAmount(text: string, locale: string): string | undefined {
  const comma = new Intl.NumberFormat(locale).formatToParts(1.5).some(({ value }) => value === ',');
  const plain = comma ? text.replace(',', '.') : text;
  return plain === '' || /^\d{1,20}(\.\d+)?$/.test(plain) ? plain : undefined;
}

function rangesUpTo(today: string) {
  const month = today.slice(0, 7);
  const lastMonthEnd = addDays(`${month}-01`, -1);
  return [
    { name: 'thisMonth', from: `${month}-01`, to: today },
    { name: 'lastMonth', from: `${lastMonthEnd.slice(0, 7)}-01`, to: lastMonthEnd },
    { name: 'last90', from: addDays(today, -89), to: today },
    { name: 'thisYear', from: `${today.slice(0, 4)}-01-01`, to: today },
  ] as const;
}

export interface DetailSheetProps {
  transactionId: string;
  /** As the list has it, where it came from there. */
  known: Transaction | undefined;
  onClose(): void;
}

export function DetailSheet({ transactionId, known, onClose }: DetailSheetProps) {
  const { client, individualId, texts, locale, dates } = useViewer();
  const [transaction, setTransaction] = useState(known);
  const [trouble, setTrouble] = useState<string>();
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    const controller = new AbortController();
    // The list may have stood open for hours; this is how it is now.
    client
      .getTransaction({ transactionId, individualId }, { signal: controller.signal })
      .then(setTransaction, (error: unknown) => {
        if (controller.signal.aborted || known) return;
        const met = troubleOf(error);
        setTrouble(
          met.kind === 'offline' ? texts.offlineTitle : met.kind === 'expired' ? texts.expired : texts.notFound,
        );
      });
    return () => controller.abort();
  }, [transactionId]);

  async function copyId(): Promise<void> {
    await navigator.clipboard.writeText(transactionId).then(
      () => setCopied(true),
      () => {},
    );
  }

  return (
    <Sheet title={texts.details} onClose={onClose}>
      {trouble && <p class="complaint">{trouble}</p>}
      {!transaction && !trouble && <p role="status">{texts.loading}</p>}
      {transaction && (
        <div class={`detail ${directionOf(transaction)}${isVoid(transaction) ? ' void' : ''}`}>
          <p class="name">{counterparty(transaction, texts)}</p>
          <p class="amount">{signedAmount(transaction, locale)}</p>
          <p class={`status ${transaction.transactionStatus.toLowerCase()}`}>
            {texts.statuses[transaction.transactionStatus] ?? transaction.transactionStatus}
          </p>
          <dl>
            <Fact name={texts.when} value={dates.full(transaction.timeStamp)} />
            <Fact name={texts.sender} value={transaction.senderName} />
            <Fact name={texts.receiver} value={transaction.receiverName} />
            <Fact name={texts.note} value={transaction.paymentNotes} />
            <Fact name={texts.type} value={texts.types[transaction.transactionType] ?? transaction.transactionType} />
            <Fact name={texts.system} value={texts.systems[transaction.paymentSystem] ?? transaction.paymentSystem} />
            <div>
              <dt>{texts.id}</dt>
              <dd class="id">
                <code>{transaction.transactionId}</code>
                <button type="button" class="quiet small" onClick={copyId}>
                  <Icon name={copied ? 'check' : 'copy'} />
                  {copied ? texts.copied : texts.copy}
                </button>
              </dd>
            </div>
          </dl>
        </div>
      )}
    </Sheet>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
