/** `ledgerline webhooks …`: webhook endpoints, without the service in between. Changes stand in the audit. */
import { createAuditStore } from '../audit/audit.store.ts';
import { openWebhookEndpoints } from '../app/webhooks.ts';
import { readDigestKeys } from '../auth/keys.ts';
import { ServiceClock } from '../clock.ts';
import { loadConfig } from '../config/load.ts';
import { deriveKeys } from '../digest-keys.ts';
import { Problem, StartError } from '../errors.ts';
import { eventTypes } from '../events/catalogue.ts';
import { createEventLogStore } from '../events/event-log.store.ts';
import { createSequencer } from '../events/sequencer.ts';
import type { WebhookEndpoints } from '../events/webhooks/webhook-endpoints.ts';
import type { OperatorActionName } from '../operator-actions.ts';
import { createSandboxStore } from '../sandbox/sandbox.store.ts';
import { serviceItself } from '../slots.ts';
import { parseFrom, parseTo } from '../transactions/instant.ts';
import { commandLineActor } from './command-line-actor.ts';
import { withDatabase } from './database.ts';
import { table } from './table.ts';

interface Hands {
  endpoints: WebhookEndpoints;
  /** Says in the audit what was done. */
  audit(action: OperatorActionName, endpointId: number): Promise<void>;
}

async function withEndpoints(work: (hands: Hands) => Promise<number | void>): Promise<number> {
  const config = loadConfig(process.env);
  const { keys } = await readDigestKeys(config);
  return withDatabase(3, async (db) => {
    const clock = new ServiceClock();
    if (config.mode === 'sandbox') clock.aheadSeconds = await createSandboxStore(db).readClock();
    const sequencer = createSequencer({ store: createEventLogStore(db), clock, isAwaited: () => false });
    const { webhookEndpoints: endpoints, close } = openWebhookEndpoints({
      ...{ config, db, clock },
      deriveKeys: (purpose) => deriveKeys(keys, purpose),
      sequence: sequencer.sequence,
      // The running service takes it over within seconds.
      onReady: async () => {},
    });
    const { recordAction } = createAuditStore(db);
    const audit = (action: OperatorActionName, endpointId: number) =>
      recordAction(commandLineActor(), action, `webhook endpoint ${endpointId}`, undefined, clock.now());
    try {
      return (await work({ endpoints, audit })) ?? 0;
    } catch (error) {
      throw error instanceof Problem ? new StartError(error.message) : error;
    } finally {
      close();
    }
  });
}

function endpointId(given: string): number {
  const id = /^[1-9]\d{0,9}$/.test(given) ? Number(given) : 0;
  if (id < 1 || id > 2_147_483_647) throw new StartError(`${given} is no id; \`ledgerline webhooks list\` shows them.`);
  return id;
}

function typesOf(given: string | undefined): string[] | undefined {
  const types = given?.split(',').flatMap((name) => name.trim() || []);
  const known: readonly string[] = eventTypes;
  const unknown = types?.find((type) => !known.includes(type));
  if (unknown !== undefined)
    throw new StartError(`There is no event type ${unknown}. The types are ${eventTypes.join(', ')}.`);
  return types;
}

export const webhooksList = () =>
  withEndpoints(async ({ endpoints }) => {
    const listed = await endpoints.listHealth(serviceItself);
    table([
      ['id', 'url', 'types', 'state', 'failing since', 'due', 'description'],
      ...listed.map(({ id, url, types, enabled, disabledReason, failingSince, due, description }) => [
        id,
        url,
        types.join(',') || 'all',
        enabled ? 'enabled' : `disabled (${disabledReason})`,
        failingSince?.toISOString() ?? null,
        due,
        description,
      ]),
    ]);
  });

export const webhooksCreate = (url: string, { types, description }: { types?: string; description?: string }) =>
  withEndpoints(async ({ endpoints, audit }) => {
    const { id, secret } = await endpoints.create({ url, types: typesOf(types) ?? [], description });
    await audit('create-webhook-endpoint', id);
    console.log(`Endpoint ${id}. Its secret is shown only now:\n${secret}`);
  });

export const webhooksUpdate = (id: string, options: { url?: string; types?: string; description?: string }) =>
  withEndpoints(async ({ endpoints, audit }) => {
    const { url, types, description } = await endpoints.update(endpointId(id), {
      url: options.url,
      types: typesOf(options.types),
      description: options.description,
    });
    await audit('update-webhook-endpoint', endpointId(id));
    console.log(`Endpoint ${id}: ${url}, ${types.join(', ') || 'all types'}${description ? `, ${description}` : ''}.`);
  });

const setEnabled = (enabled: boolean) => (id: string) =>
  withEndpoints(async ({ endpoints, audit }) => {
    await endpoints.update(endpointId(id), { enabled });
    await audit(enabled ? 'enable-webhook-endpoint' : 'disable-webhook-endpoint', endpointId(id));
    console.log(`Endpoint ${id} is ${enabled ? 'enabled' : 'disabled'}.`);
  });

export const webhooksEnable = setEnabled(true);
export const webhooksDisable = setEnabled(false);

export const webhooksDelete = (id: string) =>
  withEndpoints(async ({ endpoints, audit }) => {
    await endpoints.remove(endpointId(id));
    await audit('delete-webhook-endpoint', endpointId(id));
    console.log(`Endpoint ${id} is deleted.`);
  });

export const webhooksRotateSecret = (id: string, { overlap }: { overlap: string }) =>
  withEndpoints(async ({ endpoints, audit }) => {
    const seconds = /^\d{1,6}$/.test(overlap) ? Number(overlap) : Number.NaN;
    if (!(seconds <= 604_800)) throw new StartError('--overlap must be seconds from 0 to 604800.');
    const secret = await endpoints.rotateSecret(endpointId(id), seconds);
    await audit('rotate-webhook-secret', endpointId(id));
    console.log(`The new secret is shown only now:\n${secret}`);
  });

export const webhooksTest = (id: string) =>
  withEndpoints(async ({ endpoints }) => {
    const { delivered, status, milliseconds, error } = await endpoints.test(endpointId(id), serviceItself);
    console.log(delivered ? `Delivered: ${status} after ${milliseconds} ms.` : `Not delivered: ${error}`);
    return delivered ? 0 : 2;
  });

export const webhooksReplay = (id: string, { from, to, event }: { from?: string; to?: string; event?: string[] }) =>
  withEndpoints(async ({ endpoints, audit }) => {
    const range = event ? { eventIds: event.map(eventId) } : timeRange(from, to);
    const count = await endpoints.replay(endpointId(id), range);
    await audit('replay-webhook-events', endpointId(id));
    console.log(`${count} events are sent again.`);
  });

function eventId(given: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given))
    throw new StartError(`${given} is no id of an event.`);
  return given;
}

function timeRange(from: string | undefined, to: string | undefined): { from: string; to: string | undefined } {
  const [first, last] = [from && parseFrom(from), to && parseTo(to)];
  if (!first || (to !== undefined && !last)) {
    throw new StartError('Give --from (and --to) as ISO 8601 times, or --event with ids of events.');
  }
  return { from: first, to: last };
}

export const webhooksDeliveries = (id: string, { state, count }: { state?: string; count: string }) =>
  withEndpoints(async ({ endpoints }) => {
    const wanted = (['due', 'delivered', 'failed'] as const).find((known) => known === state);
    if (state !== undefined && !wanted) throw new StartError('--state must be due, delivered or failed.');
    const limit = /^[1-9]\d{0,3}$/.test(count) ? Number(count) : 0;
    if (limit < 1 || limit > 1000) throw new StartError('--count must be an integer from 1 to 1000.');
    const listed = await endpoints.listDeliveries(endpointId(id), wanted, limit);
    table([
      ['event', 'type', 'state', 'tries', 'status', 'error', 'next try'],
      ...listed.map(({ delivery }) => [
        delivery.eventId,
        delivery.type,
        delivery.state,
        delivery.attempts,
        delivery.lastStatus,
        delivery.lastError,
        delivery.nextAttemptAt?.toISOString() ?? null,
      ]),
    ]);
  });
