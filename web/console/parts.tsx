/** Small parts that the views of the console share. */
import type { ComponentProps } from 'preact';
import type { Action } from '../data/use-action.ts';
import type { Pages } from '../data/use-pages.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Options } from '../ui/options.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { serviceNow } from './clock.ts';
import { consoleLocale, formatDate, formatShare, formatTime } from './format.ts';
import { useWriteRight } from './operator.ts';
import { sentenceOf } from './problems.ts';
import { t } from './texts.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

/** Why an action failed; what was done, for screen readers. */
export function Outcome({ of: { error, done } }: { of: Pick<Action, 'error' | 'done'> }) {
  return (
    <>
      {error !== undefined && <Notice text={sentenceOf(error)} />}
      <p class="unseen" role="status">
        {done}
      </p>
    </>
  );
}

/** A button for the next page of a list, if there is one. */
export function Older({
  of: { showOlder, older },
  text = t.common.showOlder,
}: {
  of: Pages<unknown>;
  text?: string | undefined;
}) {
  return showOlder ? (
    <div class="older-entries">
      <Outcome of={older} />
      <QuietButton aria-disabled={older.isRunning} onClick={showOlder}>
        {text}
      </QuietButton>
    </div>
  ) : null;
}

/** A button for what the token may not allow. */
export function WriteButton({ of, ...props }: ComponentProps<typeof QuietButton> & { of?: 'webhooks' }) {
  return <QuietButton {...props} {...useWriteRight(of)} />;
}

export function Time({ instant }: { instant: string }) {
  return (
    <RelativeTime
      instant={instant}
      locale={consoleLocale}
      now={serviceNow}
      exact={formatTime(instant)}
      date={formatDate(instant)}
    />
  );
}

export function ExactTime({ instant }: { instant: string }) {
  return <time dateTime={instant}>{formatTime(instant)}</time>;
}

export function Copy({ text, what }: { text: string; what: string }) {
  return <CopyButton text={text} what={what} words={t.copying} />;
}

/** A secret that is shown once. */
export function Secret({ secret }: { secret: string | undefined }) {
  return (
    <div role="status">
      {secret !== undefined && (
        <p class="secret-text">
          {t.webhooks.secret}
          <code>{secret}</code>
          <Copy text={secret} what={t.webhooks.secretName} />
        </p>
      )}
    </div>
  );
}

/** A share as a bar in a table's cell, with the number next to it. */
export function Share({ part, of, tone }: { part: number; of: number; tone: string }) {
  if (of === 0) return <span class="soft">–</span>;
  return (
    <span class="share-bar">
      <Meter percent={Math.round((part / of) * 100)} tone={tone} />
      {formatShare(part, of)}
    </span>
  );
}

export function Meter({ percent, tone }: { percent: number; tone: string }) {
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect class="meter-rest" width="100" height="8" rx="4" />
      <rect class={tone} width={percent} height="8" rx="4" />
    </svg>
  );
}

interface PanelChoiceProps<T extends string> {
  label: string;
  anyName: string;
  options: readonly (readonly [value: T, name: string])[];
  value: T | undefined;
  onChoose(value: T | undefined): void;
}

/** One of a few, next to the title of a panel. */
export function PanelChoice<T extends string>({ label, anyName, options, value, onChoose }: PanelChoiceProps<T>) {
  return (
    <select
      class="panel-choice"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChoose((event.currentTarget.value || undefined) as T | undefined)}
    >
      <option value="">{anyName}</option>
      <Options of={options} />
    </select>
  );
}

/** On a phone a list shows fewer entries at first. */
export function pageSizeOf(wide: number, narrow: number): number {
  return matchMedia('(max-width: 44rem)').matches ? narrow : wide;
}

/** A text of the service, whose names stand between backticks. */
export function withCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
