/** The signals that end the service. */

/** Signals closer together than this come from one press of a key. */
const onePressMilliseconds = 1000;

export interface Signals {
  /** The first one, also when it came during the start. */
  first: Promise<NodeJS.Signals>;
  /** One more, from somebody who does not want to wait. */
  second: Promise<NodeJS.Signals>;
}

/** npm passes on what the terminal has sent to both of us: two in a breath are one. */
export function listenForSignals(names: NodeJS.Signals[] = ['SIGTERM', 'SIGINT']): Signals {
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
