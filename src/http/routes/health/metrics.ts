import type { Observer } from '../../../monitoring/observe.ts';
import { operation } from '../../operation.ts';

export const metricsOperation = (observer: Observer) =>
  operation({
    name: 'metrics',
    isVital: true,
    method: 'GET',
    path: '/metrics',
    tag: 'Health',
    summary: 'Get metrics',
    about: 'For Prometheus. In production it is on a separate port, or off.',
    responses: { 200: { about: 'The metrics.', contentType: 'text/plain' } },
    handle: async () => ({
      status: 200,
      body: await observer.metrics(),
      contentType: observer.metricsContentType,
    }),
  });
