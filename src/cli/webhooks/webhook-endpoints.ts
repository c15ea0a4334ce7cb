/** Webhook endpoints as the commands of `ledgerline webhooks` use them: on the database, without a running service. */
import { openWebhookEndpoints } from '../../app/webhooks.ts';
import { readDigestKeys } from '../../auth/keys.ts';
import { deriveKeys } from '../../crypto/digest-keys.ts';
import { StartError } from '../../errors.ts';
import { eventTypes } from '../../events/catalogue.ts';
import { createEventLogStore } from '../../events/event-log.store.ts';
import { createSequencer } from '../../events/sequencer.ts';
import type { WebhookEndpoints } from '../../events/webhooks/webhook-endpoints.ts';
import type { Operator } from '../../audit/operator-actions.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { withDatabase } from '../database.ts';
import { parseId } from '../../values/id.ts';

/** What a command works with. */
interface WebhookContext {
  endpoints: WebhookEndpoints;
  /** Who acts, for the audit. */
  who: Operator;
}

export async function withEndpoints(work: (context: WebhookContext) => Promise<number | void>): Promise<number> {
  return withDatabase(3, async ({ config, db, clock }) => {
    const { keys } = await readDigestKeys(config);
    const sequencer = createSequencer({ store: createEventLogStore(db), clock });
    const { webhookEndpoints: endpoints, close } = openWebhookEndpoints({
      ...{ config, db, clock },
      deriveKeys: (purpose) => deriveKeys(keys, purpose),
      sequence: sequencer.sequence,
      // The running service takes it over within seconds.
      onReady: async () => {},
    });
    try {
      return (await work({ endpoints, who: commandLineActor() })) ?? 0;
    } finally {
      close();
    }
  });
}

export function readEndpointId(given: string): number {
  const id = parseId(given);
  if (id === undefined) throw new StartError(`${given} is no id; \`ledgerline webhooks list\` shows them.`);
  return id;
}

export function readEventTypes(given: string | undefined): string[] | undefined {
  const types = given?.split(',').flatMap((name) => name.trim() || []);
  const known: readonly string[] = eventTypes;
  const unknown = types?.find((type) => !known.includes(type));
  if (unknown !== undefined)
    throw new StartError(`There is no event type ${unknown}. The types are ${eventTypes.join(', ')}.`);
  return types;
}

/** The commands `enable` and `disable`. */
export const setEnabled = (enabled: boolean) => (id: string) =>
  withEndpoints(async ({ endpoints, who }) => {
    await endpoints.update(who, readEndpointId(id), { enabled });
    console.log(`Endpoint ${id} is ${enabled ? 'enabled' : 'disabled'}.`);
  });
