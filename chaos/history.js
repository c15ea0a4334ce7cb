/** Everything that was asked, answered, delivered and broken, in order: in memory for the checker, on disk for a replay. */
import { createWriteStream } from 'node:fs';
import { isChangePhone } from './changes.js';

/** A service reads its clock 20 times a second, unless it is stopped. */
const clockLagMilliseconds = 6000;

export function createHistory({ file, seed }) {
  const startedAt = Date.now();
  const output = file && createWriteStream(file);
  let clockMilliseconds = 0;
  /** Jumps of the last seconds: a service that was stopped may not know of them yet. */
  let jumps = [];
  const calls = [];
  const texts = [];
  const textsByUser = new Map();
  const changeTextsByUser = new Map();
  const confirmationTexts = new Map();
  const rows = new Map();
  const faults = [];
  const lines = [];

  const now = () => Date.now() - startedAt;
  /** The earliest time that the clock of a service may show now. */
  function earliestClock() {
    jumps = jumps.filter(({ at }) => now() - at < clockLagMilliseconds);
    return now() + Math.min(clockMilliseconds, ...jumps.map(({ before }) => before));
  }

  function latestClock() {
    jumps = jumps.filter(({ at }) => now() - at < clockLagMilliseconds);
    return now() + Math.max(clockMilliseconds, ...jumps.map(({ before }) => before));
  }

  function write(kind, entry) {
    output?.write(`${JSON.stringify({ kind, ...entry })}\n`);
    return entry;
  }

  write('start', { seed, startedAt });
  return {
    calls,
    texts,
    faults,
    /** Of the services' logs, about answers that should not be. */
    lines,
    now,
    get clockMilliseconds() {
      return clockMilliseconds;
    },
    moveClock(milliseconds) {
      jumps.push({ at: now(), before: clockMilliseconds });
      clockMilliseconds += milliseconds;
    },
    addText(text) {
      const entry = write('text', { at: now(), clock: earliestClock(), latestClock: latestClock(), ...text });
      if (text.amount !== undefined) {
        const known = confirmationTexts.get(text.amount);
        const isNewer = !known || text.codeNumber > known.codeNumber;
        if (isNewer || !known.isDelivered) confirmationTexts.set(text.amount, entry);
        return;
      }
      const byUser = isChangePhone(text.phone) ? changeTextsByUser : textsByUser;
      if (byUser === textsByUser) texts.push(entry);
      byUser.set(text.userId, [...(byUser.get(text.userId) ?? []), entry]);
    },
    /**
     * A text of a confirmation that reached a gateway, by its amount. A create that is repeated after a 503 has a new
     * code, so it is one of the latest code: one that was delivered, if there is any.
     */
    confirmationText: (amount) => confirmationTexts.get(amount),
    /** Every text of a verification to a user that reached a gateway, delivered or not. */
    textsOf: (userId) => textsByUser.get(userId) ?? [],
    /** The same for changes of number. */
    changeTextsOf: (userId) => changeTextsByUser.get(userId) ?? [],
    /** Rows that were sent to be recorded, by their transactionId. */
    rows,
    noteRows(sent) {
      for (const row of sent) rows.set(row.transactionId, row);
    },
    addFault(fault) {
      faults.push(write('fault', { at: now(), ...fault }));
    },
    addLine(service, line) {
      lines.push(write('line', { at: now(), service, line }));
    },
    /** Runs a call and notes when it began and ended, by both clocks. */
    async addCall(call, run) {
      const entry = { ...call, at: now(), clock: earliestClock() };
      calls.push(entry);
      try {
        Object.assign(entry, await run());
      } catch (error) {
        // Whether the service did it cannot be told.
        Object.assign(entry, { status: 0, reason: error.code ?? error.message });
      }
      entry.endedAt = now();
      entry.endedClock = latestClock();
      const { answer: _, ...noted } = entry;
      write('call', noted);
      return entry;
    },
    async close() {
      if (output) await new Promise((resolve) => output.end(resolve));
    },
  };
}
