/** Wires the webhooks: endpoints, and the dispatcher that delivers to them. */
import { randomUUID } from 'node:crypto';
import { isLoopback } from '../config/check.ts';
import type { Config } from '../config/load.ts';
import { errorCode } from '../db/database.ts';
import { createEgressPolicy } from '../egress/addresses.ts';
import { createPoster, type PosterOptions } from '../egress/poster.ts';
import { createResolver } from '../egress/resolver.ts';
import { makeEventId } from '../events/event.ts';
import { createDeliveriesStore } from '../events/webhooks/deliveries.store.ts';
import { createDispatcher } from '../events/webhooks/dispatcher.ts';
import { createEndpointsStore } from '../events/webhooks/endpoints.store.ts';
import { createSecretBox } from '../events/webhooks/secret.ts';
import { createWebhookEndpoints } from '../events/webhooks/webhook-endpoints.ts';
import type { Core } from './core.ts';

/** How long a receiver may take to answer. */
const answerMilliseconds = 15_000;
const machineNow = () => new Date();

/** Which addresses webhooks may be sent to. */
export function webhookPolicy({ mode, host, webhookAllow }: Config) {
  return createEgressPolicy({ allow: webhookAllow, allowsLoopback: mode === 'sandbox' && isLoopback(host) });
}

export function webhookPosterOptions(config: Config): PosterOptions {
  return {
    policy: webhookPolicy(config),
    timeoutMilliseconds: answerMilliseconds,
    connections: config.webhookInFlight,
    proxyUrl: config.webhookProxy,
    resolveHost: createResolver(),
  };
}

export function openWebhooks(core: Core, sequence: () => Promise<unknown>) {
  const { config, db, clock, observer, jobs, releasers, traced } = core;
  const deliveries = traced('webhook-deliveries', createDeliveriesStore(db));
  const endpoints = traced('webhook-endpoints', createEndpointsStore(db));
  const box = createSecretBox(core.deriveKeys('webhook secrets'));
  const posterOptions = webhookPosterOptions(config);
  const dispatcher = createDispatcher({
    ...{ deliveries, endpoints, box, clock, machineNow },
    createPoster: () => createPoster(posterOptions),
    observe: observer.observe,
    limits: { inFlight: config.webhookInFlight, perSecond: config.webhookRate },
    id: randomUUID(),
    onError: (error) => observer.observe({ kind: 'job-failed', job: 'webhook-lease', reason: errorCode(error) }),
  });
  const testPoster = createPoster(posterOptions);
  releasers.add(testPoster.close);
  releasers.add(dispatcher.stop);
  const webhookEndpoints = createWebhookEndpoints({
    ...{ store: endpoints, deliveries, box, clock, machineNow, sequence },
    policy: posterOptions.policy,
    onReady: dispatcher.renew,
    newEventId: () => makeEventId(clock.now()),
    postOnce: testPoster.post,
  });
  jobs.start(
    { name: 'webhook-leases', everyMilliseconds: 3000, run: dispatcher.renew },
    { name: 'webhook-dispatch', everyMilliseconds: 100, run: dispatcher.run },
    { name: 'webhook-queue', everyMilliseconds: 5000, run: dispatcher.observeQueue },
    { name: 'webhook-maintenance', everyMilliseconds: 10_000, runsOnce: true, run: webhookEndpoints.maintain },
  );
  return { dispatcher, webhookEndpoints };
}
