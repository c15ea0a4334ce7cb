/** A reader of Server-Sent Events, as a test sees them. */
import { onTestFinished } from 'vitest';
import { until } from '../until.ts';

export interface StreamedMessage {
  event: string;
  id: string | undefined;
  // oxlint-disable-next-line no-explicit-any -- tests read what they expect
  data: any;
}

/** Opens a stream and gathers what comes, until the test ends. */
export async function openStream(url: string, token: string, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: controller.signal,
  });
  const messages: StreamedMessage[] = [];
  let comments = 0;
  let hasEnded = false;

  function take(block: string): void {
    const lines = block.split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines.some((line) => line.startsWith(':'))) comments += 1;
    const event = field('event');
    if (event !== undefined) messages.push({ event, id: field('id'), data: JSON.parse(field('data')!) });
  }

  async function read(): Promise<void> {
    let text = '';
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      hasEnded = true;
    }
  }

  if (response.status === 200) void read();
  return {
    response,
    messages,
    close: () => controller.abort(),
    get comments() {
      return comments;
    },
    get hasEnded() {
      return hasEnded;
    },
    until,
  };
}
