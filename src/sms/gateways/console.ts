/** Shows messages on the terminal, past the log: a code must never stand in a log line. */
import { accepted, type Gateway, type Message, type Answer } from '../gateway.ts';

export class ConsoleGateway implements Gateway {
  readonly name = 'console';
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  async send({ phone, text }: Message): Promise<Answer> {
    this.#write(`\n  ✉ ${phone}\n  ${text.replaceAll('\n', '\n  ')}\n\n`);
    return accepted();
  }
}
