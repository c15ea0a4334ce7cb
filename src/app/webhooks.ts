/** Wires the webhooks: endpoints, and the dispatcher that delivers to them. */
import { randomUUID } from 'node:crypto';
import { isLoopback } from '../network/loopback.ts';
import type { Config } from '../config/load.ts';
import { createEgressPolicy } from '../egress/addresses.ts';
import { createPoster, type Poster, type PosterOptions } from '../egress/poster.ts';
import { createResolver } from '../egress/resolver.ts';
import { makeEventId } from '../events/event.ts';
import { createDeliveriesStore } from '../events/webhooks/deliveries.store.ts';
import { createDispatcher } from '../events/webhooks/dispatcher.ts';
import { createEndpointsStore } from '../events/webhooks/endpoints.store.ts';
import { createSecretBox } from '../events/webhooks/secret.ts';
import { createWebhookEndpoints } from '../events/webhooks/webhook-endpoints.ts';
import { traceHeaders } from '../tracing/propagate.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Core } from './core.ts';
import { reportFailure } from './report-work.ts';

/** How long a receiver may take to answer. */
const answerMilliseconds = 15_000;
/**
 * Requests to one endpoint at the same time, and from one process to one host. At an answer in 100 ms that is 160 a second;
 * more would let one slow receiver hold many sockets.
 */
const inFlight = 16;
const machineNow = () => new Date();

/** Which addresses webhooks may be sent to, and how. */
function posterOptionsOf(config: Config): PosterOptions {
  const { mode, host, webhookAllow, webhookProxy } = config;
  const allowsLoopback = mode === 'sandbox' && isLoopback(host);
  return {
    policy: createEgressPolicy({ allow: webhookAllow, allowsLoopback }),
    timeoutMilliseconds: answerMilliseconds,
    connections: inFlight,
    proxyUrl: webhookProxy,
    resolveHost: createResolver(),
  };
}

/**
 * A span for each post, which the receiver can continue. A delivery has a trace of its own, not that of the request that
 * caused the event: it is made later, by any process. The span contains only the host of the URL.
 */
function tracePoster(run: Tracing['run'] | undefined, poster: Poster): Poster {
  if (!run) return poster;
  return {
    ...poster,
    post(url, headers, body) {
      const attributes = { 'http.request.method': 'POST', 'server.address': new URL(url).hostname };
      return run('webhook', attributes, () => poster.post(url, { ...headers, ...traceHeaders() }, body));
    },
  };
}

/** For a service that sends nothing. */
const quietPoster: Poster = {
  post: async () => ({ error: 'The service is quiet (LEDGERLINE_QUIET).', milliseconds: 0 }),
  close() {},
};

interface EndpointParts extends Pick<Core, 'config' | 'db' | 'clock' | 'deriveKeys'> {
  traced?: Core['traced'];
  tracing?: Tracing | undefined;
  /** Absent on the command line, where no other requests wait. */
  admission?: Core['admission'];
  sequence(): Promise<unknown>;
  onReady(): Promise<void>;
}

/** The operations on endpoints, for the service and the command line. */
export function openWebhookEndpoints(parts: EndpointParts) {
  const { config, db, clock, deriveKeys, traced = (_name, store) => store, tracing, sequence, onReady } = parts;
  const { admission } = parts;
  const deliveries = traced('webhook-deliveries', createDeliveriesStore(db));
  const endpoints = traced('webhook-endpoints', createEndpointsStore(db));
  const box = createSecretBox(deriveKeys('webhook secrets'));
  const posterOptions = posterOptionsOf(config);
  const testPoster = config.isQuiet ? quietPoster : tracePoster(tracing?.run, createPoster(posterOptions));
  const webhookEndpoints = createWebhookEndpoints({
    ...{ store: endpoints, deliveries, box, clock, machineNow, sequence, onReady },
    policy: posterOptions.policy,
    newEventId: () => makeEventId(clock.now()),
    postOnce: testPoster.post,
    whileWaiting: (work, owner) => (admission ? admission.outside(work, owner) : work()),
  });
  return { webhookEndpoints, deliveries, endpoints, box, posterOptions, close: testPoster.close };
}

export function openWebhooks(core: Core, sequence: () => Promise<unknown>) {
  const { config, clock, observer, jobs, releasers } = core;
  let renew = async (): Promise<void> => {};
  const opened = openWebhookEndpoints({ ...core, sequence, onReady: () => renew() });
  const { webhookEndpoints, deliveries, endpoints, box, posterOptions } = opened;
  const dispatcher = createDispatcher({
    ...{ deliveries, endpoints, box, clock, machineNow },
    createPoster: () => tracePoster(core.tracing?.runAlone, createPoster(posterOptions)),
    observe: observer.observe,
    limits: { inFlight, perSecond: config.webhookRate },
    id: randomUUID(),
    onDue: () => jobs.wake('webhook-dispatch'),
    onError: reportFailure(observer.observe, 'webhook-lease'),
  });
  releasers.add(opened.close);
  releasers.add(dispatcher.stop);
  jobs.start({ 'webhook-maintenance': webhookEndpoints.maintain });
  // Quiet: without leases nothing is delivered, and what is due stays due, with all its tries.
  if (config.isQuiet) return { webhookEndpoints, renew };
  renew = async () => {
    await dispatcher.renew();
    jobs.wake('webhook-leases', 'webhook-dispatch');
  };
  jobs.start({
    'webhook-leases': async () => {
      await dispatcher.renew();
      return dispatcher.hasEndpoints;
    },
    'webhook-dispatch': dispatcher.run,
    'webhook-queue': dispatcher.observeQueue,
  });
  return { webhookEndpoints, renew };
}
