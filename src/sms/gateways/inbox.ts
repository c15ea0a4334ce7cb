/** The sandbox's gateway: messages are kept for reading, and are not sent. */
import { defineGateway } from '../define-gateway.ts';
import { accepted, unavailable } from '../gateway.ts';

export const inbox = defineGateway({
  name: 'inbox',
  sendsNothing: true,
  settings: {},
  create: (_values, { keepInInbox }) => ({
    name: 'inbox',
    async send(message) {
      try {
        await keepInInbox(message);
        return accepted();
      } catch (error) {
        return unavailable(
          `The inbox could not be written (${(error as { code?: string }).code ?? (error as Error).name})`,
        );
      }
    },
  }),
});
