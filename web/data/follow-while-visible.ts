/** How long after a refusal the stream is asked for again. */
const retryMilliseconds = 20_000;

/**
 * Follows a stream while the page is visible, since a browser opens only a few connections to one service. Returns a
 * function that ends it. `follow` ends when its signal is aborted.
 */
export function followWhileVisible(follow: (signal: AbortSignal) => Promise<void>): () => void {
  let controller: AbortController | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    clearTimeout(retry);
    controller?.abort();
  }

  async function start(): Promise<void> {
    const own = new AbortController();
    controller = own;
    try {
      await follow(own.signal);
    } catch {
      // The service refuses the stream: the session has expired, or many tabs are open. Everything else works without
      // it, and it may accept it later.
      retry = setTimeout(() => own === controller && void start(), retryMilliseconds);
    }
  }

  function onVisibility(): void {
    if (document.hidden) stop();
    else if (!controller || controller.signal.aborted) void start();
  }

  onVisibility();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    stop();
  };
}
