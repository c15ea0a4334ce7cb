/**
 * A node with several processes: the primary has the database server and the settings, the workers do everything else.
 */
import { inBackground } from '../../monitoring/background.ts';
import { checkMode } from '../../config/check.ts';
import { findRisks } from '../../config/risks.ts';
import { freePort } from '../../network/free-port.ts';
import { createObserver } from '../../monitoring/observe.ts';
import { prepareServer } from '../database.ts';
import { releaseOnFailure, type Releasers } from '../releasers.ts';
import { checkPort, serveMetrics } from '../server.ts';
import type { AppOptions, Running } from '../start.ts';
import { Primary } from './primary.ts';
import { SharedPort } from './shared-port.ts';
import { reportFailure } from '../report-work.ts';

/** Added to the time that a worker needs to stop by its own settings. */
const graceSeconds = 10;

export async function startNode(options: AppOptions): Promise<Running> {
  checkMode(options.config);
  return releaseOnFailure((releasers) => start(options, releasers));
}

async function start({ config, fresh = false, log, logFormat, report }: AppOptions, releasers: Releasers) {
  const observer = createObserver({ level: config.logLevel, format: logFormat, write: log });
  for (const risk of findRisks(config)) observer.observe({ kind: 'risky-setting', ...risk });
  await checkPort(config.host, config.port);
  const server = await prepareServer(config, fresh, releasers, report);
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const primary = new Primary({
    count: config.processes,
    // If the database is configured, in a variable or a file, the workers read that setting themselves.
    environment: { PORT: String(port), ...(!config.databaseUrl && { DATABASE_URL: server.url }) },
    observer,
    port: new SharedPort(config.host, port, reportFailure(observer.observe, 'accept')),
    drainSeconds: config.drainSeconds,
    stopSeconds: config.stopSeconds + graceSeconds,
  });
  releasers.add(() => primary.stop());
  const { url, demo } = await primary.start(fresh);
  if (config.metricsPort !== undefined)
    releasers.add(
      await serveMetrics({ ...observer, metrics: () => primary.readMetrics() }, config.host, config.metricsPort),
    );
  return {
    url,
    demo,
    observer,
    replaceWorkers: () =>
      inBackground(
        () => primary.roll(),
        (error) => observer.observeDefect(error, 'reload'),
      ),
    async stop() {
      // The metrics are served until the end.
      await primary.stop();
      await releasers.run();
    },
    kill() {
      primary.kill();
      server.kill();
    },
  };
}
