/** A time as a reader says it ("3 min ago"), with the exact one on hover. */
import { useEffect, useState } from 'preact/hooks';

const tickSeconds = 20;
/** From then on the date says more. */
const longestSeconds = 7 * 86_400;

const units = [
  ['second', 1, 60],
  ['minute', 60, 3600],
  ['hour', 3600, 86_400],
  ['day', 86_400, longestSeconds],
] as const;

interface RelativeTimeProps {
  instant: string;
  locale: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** The time with date and seconds. */
  exact: string;
  /** Shown for a time that is more than a week away. */
  date: string;
}

export function RelativeTime({ instant, locale, now, exact, date }: RelativeTimeProps) {
  useTick();
  return (
    <time dateTime={instant} title={exact}>
      {relativeText(Date.parse(instant) - now(), locale) ?? date}
    </time>
  );
}

/** Undefined if it is more than a week away. */
function relativeText(milliseconds: number, locale: string): string | undefined {
  const seconds = Math.trunc(milliseconds / 1000);
  const unit = units.find(([, , end]) => Math.abs(seconds) < end);
  if (!unit) return undefined;
  const format = new Intl.RelativeTimeFormat(locale, {
    style: 'short',
    numeric: unit[0] === 'second' ? 'auto' : 'always',
  });
  return format.format(Math.trunc(seconds / unit[1]), unit[0]);
}

const redraws = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times on the page. */
function useTick(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const redraw = () => setTick((before) => before + 1);
    redraws.add(redraw);
    timer ??= setInterval(() => document.hidden || redraws.forEach((each) => each()), tickSeconds * 1000);
    return () => {
      redraws.delete(redraw);
      if (redraws.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
}
