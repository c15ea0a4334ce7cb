/** Writes messages to the terminal, and not to the log: a log line must never contain a code. */
import { defineGateway } from '../define-gateway.ts';
import { accepted } from '../gateway.ts';

export const consoleGateway = defineGateway({
  name: 'console',
  sendsNothing: true,
  settings: {},
  create: (_values, { writeToTerminal }) => ({
    name: 'console',
    async send({ e164, text }) {
      writeToTerminal(`\n  ✉ ${e164}\n  ${text.replaceAll('\n', '\n  ')}\n\n`);
      return accepted();
    },
  }),
});
