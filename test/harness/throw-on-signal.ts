/** Settings that make a process throw outside a request, and in a promise, when it gets SIGUSR2. */
export const throwOnSignal = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
    `process.on('SIGUSR2', () => { Promise.reject(new RangeError('in a promise')); throw new TypeError('secret ' + (4700 + 11)); });`,
  )}`,
};
