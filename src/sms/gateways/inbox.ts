/** The sandbox's gateway: messages are kept for reading, and are not sent. */
import { defineGateway } from '../define-gateway.ts';
import { accepted } from '../gateway.ts';

export const inbox = defineGateway({
  name: 'inbox',
  sendsNothing: true,
  settings: {},
  create: (_values, { keepInInbox }) => ({
    name: 'inbox',
    async send(message) {
      keepInInbox(message);
      return accepted();
    },
  }),
});
