/** The list page behind Fastify beside the service's own HTTP layer: same statement, same token, log and metrics. */
import { listLoad, prepareSmall } from './list.js';
import { loadRow, measured, ratio } from './harness.js';

const connections = 48;
const rounds = 3;

export async function benchFastify(bench, { quick }) {
  await prepareSmall(bench);
  const service = await bench.service();
  const fastify = await bench.fastify(service.url);
  const bare = await bench.bare();
  const loads = listLoad(service.token);
  const seconds = quick ? 2 : 8;
  const servers = [
    { what: 'service: its own HTTP layer', server: service, load: loads.service, results: [] },
    { what: 'Fastify: schema, hooks and error handler', server: fastify, load: loads.service, results: [] },
    { what: 'bare node:http + pg', server: bare, load: loads.bare, results: [] },
  ];
  for (const { server, load } of servers) await measured(bench, server, { ...load, connections, seconds: 3 });
  // In turns, so that what else the machine does falls on all of them alike.
  for (let round = 0; round < rounds; round += 1) {
    for (const { server, load, results } of servers) {
      results.push(await measured(bench, server, { ...load, connections, seconds }));
    }
  }
  for (const { server } of servers) await server.stop();
  const [ours, theirs, least] = servers.map(({ what, results }) => {
    const best = results.reduce((a, b) => (a.perSecond > b.perSecond ? a : b));
    if (Object.keys(best.statuses).join() !== '200')
      throw new Error(`${what} answered ${JSON.stringify(best.statuses)}`);
    return best;
  });
  return {
    title: 'List page: our HTTP layer beside Fastify, same statement, token, log and metrics',
    rows: servers.map(({ what }, index) => loadRow(what, [ours, theirs, least][index])),
    goals: [
      { what: 'list page beside Fastify', is: ratio(ours.perSecond, theirs.perSecond), least: 0.9 },
      {
        what: 'CPU of Node for a list page beside Fastify',
        is: ratio(ours.nodeMicroseconds, theirs.nodeMicroseconds),
        most: 1.1,
      },
    ],
  };
}
