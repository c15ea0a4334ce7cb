import { json, operation } from '../operation.ts';

const statusSchema = (...values: string[]) => ({
  type: 'object',
  required: ['status'],
  properties: { status: { enum: values } },
});

export const liveOperation = () =>
  operation({
    name: 'live',
    method: 'GET',
    path: '/health/live',
    tag: 'Health',
    summary: 'Whether the process answers',
    responses: { 200: { about: 'It does.', schema: statusSchema('live') } },
    handle: () => json(200, { status: 'live' }),
  });

export interface Readiness {
  ready: boolean;
  /** Why not. */
  reason?: string;
}

export const readyOperation = (readiness: () => Readiness) =>
  operation({
    name: 'ready',
    method: 'GET',
    path: '/health/ready',
    tag: 'Health',
    summary: 'Whether requests can be served',
    responses: {
      200: { about: 'They can.', schema: statusSchema('ready') },
      503: { about: 'They cannot, and why.', schema: statusSchema('unavailable') },
    },
    handle() {
      const { ready, reason } = readiness();
      return ready
        ? json(200, { status: 'ready' })
        : json(
            503,
            { status: 'unavailable', reason },
            {
              'retry-after': '2',
              'error-reason': 'database-unavailable',
            },
          );
    },
  });
