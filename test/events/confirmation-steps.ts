/** The part of every-action.test.ts about confirmations. */
import type { EventType } from '../../src/events/catalogue.ts';
import type { Behaviour, GatewayServer } from '../harness/servers/gateway-server.ts';
import { sendTwilioReceipt, twilioAccepts } from '../harness/servers/twilio.ts';

/** What the steps need of the run. */
interface ConfirmationRun {
  gateway: GatewayServer;
  secrets: Set<string>;
  call(method: string, path: string, body?: unknown): Promise<{ json: { confirmationId: string } }>;
  step(operation: string, expected: EventType[], act: () => Promise<unknown>): Promise<unknown>;
  behave(behaviour: Behaviour): void;
  lastCode(): string;
}

const refusesDestination = () => ({ status: 400, body: { code: 21614 } });

/** Calls every operation of confirmations for a verified user. */
export async function confirm(run: ConfirmationRun, id: number): Promise<void> {
  const { gateway, call, step, behave, lastCode, secrets } = run;
  const terms = { amount: '731.55', currency: 'EUR', payee: 'Secret Payee' };
  for (const secret of ['731.55', 'Secret Payee']) secrets.add(secret);
  const path = `/User/${id}/confirmations`;
  let confirmationId = '';
  const create = async () => ({ confirmationId } = (await call('POST', path, { purpose: 'payment', ...terms })).json);
  const check = (given: object) => call('POST', `${path}/${confirmationId}/check`, { ...terms, ...given });
  await step('create-confirmation', ['phone.code_sent'], create);
  await step('receipts-twilio', ['phone.delivery_changed'], () =>
    sendTwilioReceipt(gateway.received.at(-1)!.form.StatusCallback!, 'delivered'),
  );
  await step('resend-confirmation', ['phone.code_sent'], () => call('POST', `${path}/${confirmationId}/resend-code`));
  await step('check-confirmation', [], () => check({ code: '999999' }));
  await step('check-confirmation', ['confirmation.approved'], () => check({ code: lastCode() }));
  await step('read-confirmation', [], () => call('GET', `${path}/${confirmationId}`));
  await step('create-confirmation', ['phone.code_sent'], create);
  await step('check-confirmation', ['confirmation.failed'], () => check({ code: lastCode(), amount: 1 }));
  await step('create-confirmation', ['phone.code_sent'], create);
  await step('cancel-confirmation', [], () => call('DELETE', `${path}/${confirmationId}`));
  behave(refusesDestination);
  await step('create-confirmation', ['phone.send_failed'], create);
  behave(twilioAccepts);
}
