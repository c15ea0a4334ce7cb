/** The service's clock, which the sandbox can move. */
import { useEffect, useState } from 'preact/hooks';
import type { Client, SandboxClock } from '../../client/index.ts';

interface ClockProps {
  client: Client;
  aheadSeconds: number;
  onMoved(reading: SandboxClock): void;
}

const leaps = [
  ['+1 min', 60],
  ['+10 min', 600],
  ['+1 hour', 3600],
  ['+1 day', 86_400],
] as const;

export function Clock({ client, aheadSeconds, onMoved }: ClockProps) {
  const now = useTime(aheadSeconds);
  const [isFailed, setFailed] = useState(false);

  async function move(request: Promise<SandboxClock>): Promise<void> {
    try {
      onMoved(await request);
      setFailed(false);
    } catch {
      // The reason is that the service is away; every other part of the page says so too.
      setFailed(true);
    }
  }
  const reset = async () => {
    await client.sandbox.resetClock();
    return { now: new Date().toISOString(), aheadSeconds: 0 };
  };

  return (
    <section class="clock card" aria-label="The service’s clock">
      <div>
        <h2>The service’s clock</h2>
        <time dateTime={now.toISOString()}>{now.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })}</time>
        {/* Always there, so that the buttons stay where they are. */}
        <p class="ahead">
          {isFailed
            ? 'The clock could not be moved.'
            : aheadSeconds > 0
              ? `${durationOf(aheadSeconds)} ahead`
              : 'on time'}
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
            {name}
          </button>
        ))}
        <button type="button" class="quiet small" disabled={aheadSeconds === 0} onClick={() => void move(reset())}>
          Put back
        </button>
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
  if (seconds < 90) return `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
