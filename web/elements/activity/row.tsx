/** One row of the list. */
import { useMemo } from 'preact/hooks';
import type { Transaction } from '../../../client/index.ts';
import { nameOf } from '../../../src/words/words.ts';
import { Icon } from '../../ui/icons.tsx';
import { stateMark } from '../../ui/state-mark.ts';
import { formatMoney, visibleLength } from '../../intl/money.ts';
import { isVoid, statusKindOf } from './status.ts';
import { counterparty, directionOf, signedAmount, useViewer } from './viewer.ts';

/** Keeps the place of a row that is loading. */
export function WaitingRow() {
  return (
    <div class="row waiting" aria-hidden="true">
      <span class="badge" />
      <span class="what">
        <span class="name" />
        <span class="more" />
      </span>
      <span class="amount" />
    </div>
  );
}

interface RowProps {
  transaction: Transaction;
  index: number;
  tabIndex: number;
  onOpen(): void;
}

/** While the list scrolls, a row that stays the same is not drawn again. */
export function Row({ transaction, index, tabIndex, onOpen }: RowProps) {
  return useMemo(
    () => <DrawnRow transaction={transaction} index={index} tabIndex={tabIndex} onOpen={onOpen} />,
    [transaction, index, tabIndex],
  );
}

function DrawnRow({ transaction, index, tabIndex, onOpen }: RowProps) {
  const { locale, texts, dates } = useViewer();
  const direction = directionOf(transaction);
  const name = counterparty(transaction, texts);
  const amount = formatMoney(locale, transaction.amountText, transaction.currency);
  const signed = signedAmount(transaction, locale);
  const type = nameOf(texts.types, transaction.transactionType);
  const status = nameOf(texts.statuses, transaction.transactionStatus);
  const time = dates.time(transaction.timeStamp);
  const sentence = { in: texts.received, out: texts.paid, other: texts.neither }[direction](amount, name);
  const note = transaction.paymentNotes === name ? '' : transaction.paymentNotes;
  const isPending = transaction.transactionStatus === 'Pending';
  const showsStatus = transaction.transactionStatus !== 'Accepted' && status !== '';
  return (
    <button
      type="button"
      class={`row ${direction}${isPending ? ' pending' : ''}${isVoid(transaction) ? ' void' : ''}`}
      part={`row row-${direction}`}
      data-row={index}
      data-id={transaction.transactionId}
      tabIndex={tabIndex}
      onClick={onOpen}
    >
      <span class="unseen">{[sentence, status, type, transaction.paymentNotes, time].filter(Boolean).join(', ')}</span>
      <span class={`badge tone-${toneOf(name)}`} aria-hidden="true">
        {initials(name)}
        <span class="arrow">
          <Icon name={isPending ? 'clock' : direction === 'in' ? 'in' : 'out'} />
        </span>
      </span>
      <span class="what" aria-hidden="true">
        <span class="name" dir="auto">
          {name}
        </span>
        <span class="more">
          <bdi>{note}</bdi>
          <span>
            {note && type && ' · '}
            {type}
          </span>
        </span>
      </span>
      <span class="worth" aria-hidden="true">
        <span class="amount" style={{ '--length': visibleLength(signed) }}>
          {signed}
        </span>
        <span class="more">
          {showsStatus && <span class={`status ${stateMark(statusKindOf(transaction))}`}>{status}</span>}
          <time dateTime={transaction.timeStamp}>{time}</time>
        </span>
      </span>
    </button>
  );
}

const tones = 6;

/** The same name has the same tone everywhere. */
function toneOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 9973;
  return sum % tones;
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0)!).toLocaleUpperCase())
    .join('');
}
