/** The signals that end the service. */

export const stopSignals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/** Signals closer together than this come from one press of a key. */
const onePressMilliseconds = 1000;

export interface Signals {
  /** Resolves on the first signal, also if it came during the start. */
  first: Promise<NodeJS.Signals>;
  /** Resolves on a second signal: the person does not want to wait. */
  second: Promise<NodeJS.Signals>;
}

/** The terminal sends a signal to npm and to us, and npm passes it on: two in quick succession count as one. */
export function listenForSignals(names: NodeJS.Signals[]): Signals {
  let askedAt: number | undefined;
  const heard = (fits: () => boolean) =>
    new Promise<NodeJS.Signals>((resolve) => {
      const hear = (signal: NodeJS.Signals) => fits() && resolve(signal);
      for (const name of names) process.on(name, hear);
    });
  const first = heard(() => Boolean((askedAt ??= performance.now())));
  const second = heard(() => performance.now() - askedAt! >= onePressMilliseconds);
  return { first, second };
}
