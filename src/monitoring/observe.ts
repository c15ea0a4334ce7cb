/**
 * Observations: each becomes a log line and a metric. They have no field for a secret, a code or a full phone number.
 */
import { pino, type DestinationStream, type Logger } from 'pino';
import { collectDefaultMetrics, Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { createMetricSet, type KnownLabels } from './registry.ts';
import { printable } from '../formats/printable.ts';
import { version } from '../version.ts';

export type Observation =
  | { kind: 'code-sent'; for: string; userId: number; maskedPhone: string; gateway: string; traceId: string }
  | { kind: 'send-refused'; for: string; userId: number; reason: string; traceId: string }
  | { kind: 'send-proven'; userId: number; proof: string; traceId: string }
  | { kind: 'send-failed'; for: string; userId: number; gateway: string; reason: string; traceId: string }
  | { kind: 'send-outcome-unknown'; for: string; userId: number; gateway: string; reason: string; traceId: string }
  | { kind: 'test-number-used'; userId: number; maskedPhone: string; traceId: string }
  | { kind: 'gateway-asked'; gateway: string; outcome: string; reason?: string; milliseconds: number; traceId: string }
  | { kind: 'gateway-breaker'; gateway: string; state: 'closed' | 'open' | 'probing'; reason?: string }
  | { kind: 'gateway-link'; gateway: string; state: 'up' | 'down'; reason?: string }
  | { kind: 'gateway-order'; country: string; order: string; reason: string }
  | { kind: 'receipt'; gateway: string; state: string; result: 'moved' | 'known' | 'absent' }
  | { kind: 'receipt-refused'; gateway: string; reason: 'not-authentic' | 'unknown-message' }
  | { kind: 'template-too-long'; template: string; alphabet: string; segments: number }
  | { kind: 'trail-unwritten'; events: number; reason: string }
  | { kind: 'trail-lost'; events: number }
  | { kind: 'risky-setting'; setting: string; risk: string; cure: string }
  | { kind: 'verified'; userId: number; traceId: string }
  | { kind: 'phone-changed'; userId: number; traceId: string }
  | {
      kind: 'verify-refused';
      userId: number;
      reason: 'blocked' | 'no-code' | 'wrong-code' | 'lost-race';
      rule?: string;
      traceId: string;
    }
  | { kind: 'confirmation-approved'; userId: number; purpose: string; traceId: string }
  | {
      kind: 'confirmation-refused';
      userId: number;
      reason: 'blocked' | 'unknown' | 'ended' | 'other-terms' | 'wrong-code';
      rule?: string;
      traceId: string;
    }
  | { kind: 'operator-action'; subject: string; action: string; target: string }
  | { kind: 'job-failed'; job: string; reason: string }
  /** The first run is still to come. */
  | { kind: 'job-started'; job: string }
  | { kind: 'job-ended'; job: string }
  | { kind: 'budgets'; used: { budget: string; usedRatio: number }[] }
  | { kind: 'retention-lag'; lags: { kind: string; seconds: number }[] }
  | { kind: 'keys-read' }
  | {
      kind: 'webhook-tried';
      endpointId: number;
      outcome: 'delivered' | 'retried' | 'failed';
      status?: number | undefined;
      error?: string | undefined;
      milliseconds: number;
    }
  | { kind: 'webhook-disabled'; endpointId: number; reason: string }
  | { kind: 'webhook-queue'; oldestDueSeconds: number }
  | { kind: 'clock-off'; difference: string }
  | { kind: 'phone-unlinked'; userId: number }
  | {
      kind: 'change-notice';
      userId: number;
      outcome: 'sent' | 'failed';
      reason?: string | undefined;
      traceId: string;
    }
  | { kind: 'recorded'; result: string; rows: number }
  | { kind: 'answer-truncated'; reason: string }
  | { kind: 'token-issued'; client: string; userId?: number }
  | { kind: 'token-refused'; reason: string }
  | { kind: 'keys-unread'; reason: string }
  | { kind: 'database'; available: boolean; cause?: string }
  | { kind: 'standby'; usable: boolean; cause?: string }
  | { kind: 'standby-read'; outcome: string }
  | { kind: 'started'; version: string; url: string; mode: string; processes?: number }
  | { kind: 'worker-started'; worker: number; pid: number }
  | {
      kind: 'worker-ended';
      worker: number;
      pid: number;
      /** Whether it was asked to stop. */
      isExpected: boolean;
      code?: number;
      signal?: string;
      restartMilliseconds?: number;
    }
  | { kind: 'reload-ignored'; cure: string }
  | { kind: 'stopping'; signal?: string; reason?: string }
  | { kind: 'stopped' };

export type Observe = (observation: Observation) => void;

export interface RequestObservation {
  method: string;
  /** The operation's name. Never the path of the request, which may contain anything. */
  operation: string;
  status: number;
  milliseconds: number;
  traceId: string;
  client: string | undefined;
  /** Why it was refused: the name from the catalogue of errors. */
  reason?: string;
  /** What was wrong with the token, for a 401. */
  detail?: string;
}

export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

export interface Observer {
  observe: Observe;
  observeRequest(request: RequestObservation): void;
  /** A defect. The log gets the trace id and the source location; the caller gets an empty 500. */
  observeDefect(error: unknown, traceId: string): void;
  /** An error that nobody handled. The process is stopped and replaced because of it. */
  observeUncaught(error: unknown): void;
  /** Registers a function that reads how full the service is. It is called when metrics are requested. */
  observeUse(read: () => ServiceUse): void;
  metrics(): Promise<string>;
  /** The same figures as values, to be added to those of other processes. */
  readSnapshot(): Promise<MetricsSnapshot>;
  readonly metricsContentType: string;
}

/** The use of everything that callers share. */
interface ServiceUse {
  activeRequests: number;
  /** By pool. */
  databaseWork: Readonly<Record<string, { running: number; waiting: number }>>;
}

interface ObserverOptions {
  level: string;
  format: 'json' | 'text';
  write(line: string): void;
  /** Values of labels that are known from the start, such as the configured gateways. */
  knownLabels?: KnownLabels;
}

/**
 * How often Node looks whether its event loop is late. With the default of 10 ms this alone takes 0.3 % of a core in
 * each process.
 */
const lagMilliseconds = 100;

export function createObserver(options: ObserverOptions): Observer {
  const log = createLog(options);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagMilliseconds });
  const metricSet = createMetricSet(registry, options.knownLabels);
  const { counter, gauge, histogram } = metricSet;
  const durations = histogram('http_request_duration_seconds');
  gauge('database_up').set(1);
  gauge('build_info').set({ version }, 1);

  let readUse: (() => ServiceUse) | undefined;
  function updateUse(): void {
    if (!readUse) return;
    const { activeRequests, databaseWork } = readUse();
    gauge('requests_active').set(activeRequests);
    for (const [pool, { running, waiting }] of Object.entries(databaseWork)) {
      gauge('database_work').set({ pool, state: 'running' }, running);
      gauge('database_work').set({ pool, state: 'waiting' }, waiting);
    }
  }

  /** Looking up labels costs more than the observation itself, and there are few pairs. */
  const byOperation = new Map<string, ReturnType<typeof durations.labels>>();
  function durationOf(operation: string, status: number) {
    const key = `${operation} ${status}`;
    let child = byOperation.get(key);
    if (!child) byOperation.set(key, (child = durations.labels(operation, String(status))));
    return child;
  }

  function count(observation: Observation): void {
    switch (observation.kind) {
      case 'code-sent':
        return counter('codes_total').inc({ for: observation.for, outcome: 'sent' });
      case 'send-refused':
        return counter('codes_total').inc({ for: observation.for, outcome: observation.reason });
      case 'send-proven':
        return counter('proofs_total').inc({ kind: observation.proof });
      case 'send-failed':
        return counter('codes_total').inc({ for: observation.for, outcome: 'failed' });
      case 'send-outcome-unknown':
        return counter('codes_total').inc({ for: observation.for, outcome: 'unknown' });
      case 'gateway-asked':
        histogram('gateway_duration_seconds').observe(
          { gateway: observation.gateway },
          observation.milliseconds / 1000,
        );
        return counter('gateway_sends_total').inc({ gateway: observation.gateway, outcome: observation.outcome });
      case 'gateway-breaker':
        return gauge('gateway_open').set({ gateway: observation.gateway }, observation.state === 'closed' ? 0 : 1);
      case 'gateway-link':
        return gauge('gateway_link_up').set({ gateway: observation.gateway }, observation.state === 'up' ? 1 : 0);
      case 'gateway-order':
        return counter('gateway_order_changes_total').inc({ country: observation.country });
      case 'receipt':
        return counter('receipts_total').inc({ gateway: observation.gateway, state: observation.state });
      case 'receipt-refused':
        return counter('receipts_total').inc({ gateway: observation.gateway, state: 'refused' });
      case 'trail-unwritten':
        return counter('trail_failures_total').inc({ outcome: 'delayed' }, observation.events);
      case 'trail-lost':
        return counter('trail_failures_total').inc({ outcome: 'lost' }, observation.events);
      case 'verified':
      case 'phone-changed':
        return counter('verifications_total').inc({ outcome: 'verified' });
      case 'verify-refused':
        return counter('verifications_total').inc({ outcome: observation.reason });
      case 'confirmation-approved':
        return counter('confirmation_checks_total').inc({ outcome: 'approved' });
      case 'confirmation-refused':
        return counter('confirmation_checks_total').inc({ outcome: observation.reason });
      case 'recorded':
        return counter('transactions_recorded_total').inc({ result: observation.result }, observation.rows);
      case 'token-issued':
        return counter('tokens_total').inc({ outcome: 'issued' });
      case 'token-refused':
        return counter('tokens_total').inc({ outcome: observation.reason });
      case 'worker-ended':
        return observation.isExpected ? undefined : counter('worker_failures_total').inc();
      case 'job-failed':
        return counter('job_runs_total').inc({ job_name: observation.job, outcome: 'failed' });
      case 'job-ended':
        gauge('job_last_success_timestamp_seconds').set({ job_name: observation.job }, Date.now() / 1000);
        return counter('job_runs_total').inc({ job_name: observation.job, outcome: 'ok' });
      case 'job-started':
        return gauge('job_last_success_timestamp_seconds').set({ job_name: observation.job }, Date.now() / 1000);
      case 'budgets':
        gauge('budget_used_ratio').reset();
        for (const { budget, usedRatio } of observation.used) gauge('budget_used_ratio').set({ budget }, usedRatio);
        return;
      case 'retention-lag':
        for (const { kind, seconds } of observation.lags) gauge('retention_lag_seconds').set({ kind }, seconds);
        return;
      case 'keys-unread':
        return counter('issuer_key_failures_total').inc();
      case 'keys-read':
        return gauge('issuer_keys_read').set(1);
      case 'webhook-tried':
        return counter('webhook_tries_total').inc({ outcome: observation.outcome });
      case 'webhook-queue':
        return gauge('webhook_oldest_due_seconds').set(observation.oldestDueSeconds);
      case 'standby-read':
        return counter('standby_reads_total').inc({ outcome: observation.outcome });
      case 'database':
        return gauge('database_up').set(observation.available ? 1 : 0);
    }
  }

  return {
    observe(observation) {
      count(observation);
      const { kind, ...rest } = observation;
      log[levelOf(observation)](rest, kind);
    },
    observeRequest(request) {
      durationOf(request.operation, request.status).observe(request.milliseconds / 1000);
      const level = levelOfRequest(request);
      if (!log.isLevelEnabled(level)) return;
      // Not written by the logger: for the line of each request this takes a tenth of the logger's time.
      const line = requestLine(level, request);
      options.write(options.format === 'json' ? line : asText(line));
    },
    observeDefect(error, traceId) {
      counter('defects_total').inc();
      log.error({ traceId, ...describeDefect(error) }, 'defect');
    },
    observeUncaught(error) {
      counter('uncaught_errors_total').inc();
      log.error(describeDefect(error), 'uncaught-error');
    },
    observeUse(read) {
      readUse = read;
    },
    metrics() {
      updateUse();
      return registry.metrics();
    },
    readSnapshot() {
      updateUse();
      return registry.getMetricsAsJSON();
    },
    metricsContentType: registry.contentType,
  };
}

/**
 * A driver's message may contain values, and a stack starts with the message, so only the source locations are kept. Those
 * of an error of PostgreSQL are the driver's, so the names of its table, constraint and routine are kept too.
 */
function describeDefect(error: unknown) {
  const { name, code, stack, table, constraint, routine } = Object(error) as Partial<
    Error & Record<'code' | 'table' | 'constraint' | 'routine', string>
  >;
  const places = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8);
  return { name, code, table, constraint, routine, places };
}

let lastMillisecond = 0;
let lastIso = '';

/** A cache: many requests share a millisecond, and formatting a date takes time. */
function isoNow(): string {
  const now = Date.now();
  if (now !== lastMillisecond) {
    lastIso = new Date(now).toISOString();
    lastMillisecond = now;
  }
  return lastIso;
}

/** Health probes come every few seconds and are of interest only when they fail. */
function levelOfRequest({ operation, status }: RequestObservation): Level {
  if (status >= 500) return 'error';
  return operation === 'live' || operation === 'ready' ? 'debug' : 'info';
}

function requestLine(level: string, request: RequestObservation): string {
  const { method, operation, status, milliseconds, traceId, client, reason, detail } = request;
  const caller =
    (client === undefined ? '' : `,"client":${JSON.stringify(client)}`) +
    (reason === undefined ? '' : `,"reason":"${reason}"`) +
    (detail === undefined ? '' : `,"detail":${JSON.stringify(detail)}`);
  return (
    `{"level":"${level}","time":"${isoNow()}","method":"${method}","operation":"${operation}",` +
    `"status":${status},"milliseconds":${milliseconds},"traceId":"${traceId}"${caller},"msg":"request"}\n`
  );
}

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The level of an observation, or how it follows from its fields. All others are info. */
const levels: { [Kind in Observation['kind']]?: Level | ((observation: Observation & { kind: Kind }) => Level) } = {
  'send-failed': 'error',
  'keys-unread': 'error',
  'trail-unwritten': 'error',
  'trail-lost': 'error',
  'job-failed': 'error',
  'answer-truncated': 'error',
  'gateway-link': ({ state }) => (state === 'down' ? 'error' : 'info'),
  'gateway-breaker': ({ state }) => (state === 'open' ? 'error' : 'info'),
  database: ({ available }) => (available ? 'info' : 'error'),
  'gateway-order': 'warn',
  'receipt-refused': 'warn',
  'clock-off': 'warn',
  'template-too-long': 'warn',
  'risky-setting': 'warn',
  'reload-ignored': 'warn',
  'webhook-disabled': 'warn',
  'gateway-asked': ({ outcome }) => (outcome === 'accepted' ? 'debug' : 'warn'),
  'webhook-tried': ({ outcome }) => (outcome === 'delivered' ? 'debug' : 'warn'),
  standby: ({ usable }) => (usable ? 'info' : 'warn'),
  'retention-lag': 'debug',
  receipt: 'debug',
  'job-started': 'debug',
  'job-ended': 'debug',
  budgets: 'debug',
  'keys-read': 'debug',
  'webhook-queue': 'debug',
  'standby-read': 'debug',
};

function levelOf(observation: Observation): Level {
  const level = levels[observation.kind] as Level | ((observation: Observation) => Level) | undefined;
  return typeof level === 'function' ? level(observation) : (level ?? 'info');
}

function createLog({ level, format, write }: ObserverOptions): Logger {
  const stream: DestinationStream = { write: format === 'json' ? write : (line) => write(asText(line)) };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** A log line for people: the time of day, what happened, and the details. */
function asText(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${printable(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
  );
  const mark = level === 'error' ? '✗' : level === 'warn' ? '!' : '·';
  return `${String(time).slice(11, 23)} ${mark} ${msg} ${details.join(' ')}\n`;
}
