/**
 * Follows a stream while the page is visible, since a browser opens only a few connections to one service. Returns a
 * function that ends it. `follow` ends when its signal is aborted.
 */
export function followWhileVisible(follow: (signal: AbortSignal) => Promise<void>): () => void {
  let controller: AbortController | undefined;

  async function start(): Promise<void> {
    const own = new AbortController();
    controller = own;
    try {
      await follow(own.signal);
    } catch {
      // The service refuses the stream, for example because many tabs are open. Everything else works without it.
      own.abort();
    }
  }

  function onVisibility(): void {
    if (document.hidden) controller?.abort();
    else if (!controller || controller.signal.aborted) void start();
  }

  onVisibility();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    controller?.abort();
  };
}
