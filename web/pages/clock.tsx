/** The service's clock, which the sandbox can move. */
import { useEffect, useState } from 'preact/hooks';
import type { Client, SandboxClock } from '../../client/index.ts';
import { pageLocale } from './page-locale.ts';
import { texts } from './sandbox-page-texts.ts';
import { QuietButton } from '../ui/quiet-button.tsx';

interface ClockProps {
  client: Client;
  aheadSeconds: number;
  onMoved(reading: SandboxClock): void;
}

/** A time in the words of the page's language: 10 minutes. */
function durationIn(unit: 'second' | 'minute' | 'hour' | 'day', count: number, unitDisplay: 'short' | 'long'): string {
  return count.toLocaleString(pageLocale, { style: 'unit', unit, unitDisplay });
}

const leaps: [name: string, seconds: number][] = [
  [durationIn('minute', 1, 'short'), 60],
  [durationIn('minute', 10, 'short'), 600],
  [durationIn('hour', 1, 'long'), 3600],
  [durationIn('day', 1, 'long'), 86_400],
];

export function Clock({ client, aheadSeconds, onMoved }: ClockProps) {
  const now = useTime(aheadSeconds);
  const [isFailed, setFailed] = useState(false);

  async function move(request: Promise<SandboxClock>): Promise<void> {
    try {
      onMoved(await request);
      setFailed(false);
    } catch {
      // The reason is that the service is unavailable; every other part of the page shows that too.
      setFailed(true);
    }
  }
  const reset = async () => {
    await client.sandbox.resetClock();
    return { now: new Date().toISOString(), aheadSeconds: 0 };
  };

  return (
    <section class="clock card" aria-label={texts.clock}>
      <div>
        <h2>{texts.clock}</h2>
        <time dateTime={now.toISOString()}>
          {now.toLocaleString(pageLocale, { dateStyle: 'medium', timeStyle: 'medium' })}
        </time>
        {/* Always shown, so that the buttons do not move. */}
        <p class="ahead">
          {isFailed ? texts.clockFailed : aheadSeconds > 0 ? texts.ahead(durationOf(aheadSeconds)) : texts.onTime}
        </p>
      </div>
      <div class="buttons">
        {leaps.map(([name, seconds]) => (
          <button
            type="button"
            class="pill small"
            key={name}
            onClick={() => void move(client.sandbox.advanceClock(seconds))}
          >
            {`+${name}`}
          </button>
        ))}
        <QuietButton disabled={aheadSeconds === 0} onClick={() => void move(reset())}>
          {texts.putBack}
        </QuietButton>
      </div>
    </section>
  );
}

/** The service's time, every second. */
export function useTime(aheadSeconds: number): Date {
  const read = () => new Date(Date.now() + aheadSeconds * 1000);
  const [now, setNow] = useState(read);
  useEffect(() => {
    setNow(read());
    const timer = setInterval(() => setNow(read()), 1000);
    return () => clearInterval(timer);
  }, [aheadSeconds]);
  return now;
}

function durationOf(seconds: number): string {
  if (seconds < 90) return durationIn('second', seconds, 'long');
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return durationIn('minute', minutes, 'long');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? durationIn('hour', hours, 'long') : durationIn('day', Math.round(hours / 24), 'long');
}
