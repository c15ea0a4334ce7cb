/**
 * Loads the OpenTelemetry SDK and its exporter, and registers them. They are optional packages. This file, and the
 * OpenTelemetry API with it, is loaded only if tracing is on.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { context, propagation, trace } from '@opentelemetry/api';
import { StartError } from '../errors.ts';
import { packageRoot } from '../package-root.ts';
import { propagateWith } from './propagate.ts';
import { createTracing, type Tracing } from './tracing.ts';

export async function startTracing(endpoint: string, serviceVersion: string): Promise<Tracing> {
  const { base, exporter, hooks, resources, core } = await load();
  const provider = new base.BasicTracerProvider({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        'service.name': 'ledgerline',
        'service.version': serviceVersion,
        'service.instance.id': randomUUID(),
        'host.name': hostname(),
        'process.pid': process.pid,
      }),
    ),
    spanProcessors: [new base.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  propagateWith((headers) => propagation.inject(context.active(), headers));
  return createTracing(provider.getTracer('ledgerline', serviceVersion), async () => {
    await provider.shutdown();
    propagateWith(undefined);
    trace.disable();
    context.disable();
    propagation.disable();
  });
}

async function load() {
  try {
    const [base, exporter, hooks, resources, core] = await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/core'),
    ]);
    return { base, exporter, hooks, resources, core };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for traces are not installed. Run \`${await installCommand()}\`, or unset it.`,
    );
  }
}

/** Without the options npm would also install the tools of the build and the embedded PostgreSQL. */
async function installCommand(): Promise<string> {
  const text = await readFile(new URL('package.json', packageRoot), 'utf8');
  const { peerDependencies = {} } = JSON.parse(text) as { peerDependencies?: Record<string, string> };
  const packages = Object.entries(peerDependencies).map((entry) => entry.join('@'));
  return `npm install --save-prod --omit=dev --omit=optional ${packages.join(' ')}`;
}
