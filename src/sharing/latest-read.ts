/**
 * Reads state that several callers may ask for at the same time. Answers may arrive in another order than the reads were
 * started: an answer is used only if none of a later read was used before, so old state never replaces newer state.
 */
export function createLatestRead<State>(read: () => Promise<State>, use: (state: State) => void): () => Promise<void> {
  let started = 0;
  let used = 0;
  return async () => {
    started += 1;
    const place = started;
    const state = await read();
    if (place < used) return;
    used = place;
    use(state);
  };
}
