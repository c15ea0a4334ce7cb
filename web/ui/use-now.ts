/** The time of a countdown. */
import { useEffect, useState } from 'preact/hooks';

const tickMilliseconds = 250;

/** The time in whole seconds, by the clock `now`. During a countdown the form is drawn again every second. */
export function useNow(now: () => number, isCounting: boolean): number {
  const read = () => Math.floor(now() / 1000) * 1000;
  const [time, setTime] = useState(read);
  useEffect(() => {
    setTime(read());
    if (!isCounting) return;
    const timer = setInterval(() => setTime(read()), tickMilliseconds);
    return () => clearInterval(timer);
  }, [isCounting]);
  return isCounting ? time : read();
}
