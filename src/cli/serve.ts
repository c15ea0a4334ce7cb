/** `ledgerline serve`: starts the service and stops it when told to. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { startApp, type App } from '../app/start.ts';
import { loadConfig, type Config } from '../config/load.ts';
import { issuerFile } from './token.ts';

export async function serve({ fresh }: { fresh?: boolean }): Promise<number> {
  const config = loadConfig(process.env);
  const signals = listenForSignals();
  const output = openLog();
  // Nobody reads any more: no reason to end.
  process.stdout.on('error', () => {});
  try {
    const app = await startApp({
      config,
      fresh: fresh ?? false,
      log: output.write,
      terminal: (text) => void process.stdout.write(text),
      logFormat: config.logFormat ?? (process.stdout.isTTY ? 'text' : 'json'),
    });
    if (config.mode === 'sandbox') {
      await rememberIssuer(config, app.url);
      process.stdout.write(banner(app));
    }
    return await untilStopped(app, signals);
  } finally {
    output.close();
  }
}

const togetherMilliseconds = 100;
const togetherCharacters = 32_768;

/**
 * Lines leave together, a few times a second: a write for each would cost more than the rest of a request's log.
 * They are gathered here because the stream would measure all that waits again with every line.
 */
function openLog() {
  const stream = pino.destination({ dest: 1, sync: false });
  stream.on('error', () => {});
  let lines: string[] = [];
  let characters = 0;
  const flush = () => {
    if (lines.length > 0) stream.write(lines.join(''));
    lines = [];
    characters = 0;
  };
  setInterval(flush, togetherMilliseconds).unref();
  return {
    write(line: string): void {
      lines.push(line);
      characters += line.length;
      if (characters >= togetherCharacters) flush();
    },
    close(): void {
      flush();
      stream.flushSync();
    },
  };
}

/** So that `ledgerline token` mints what this service accepts, whatever its port. */
async function rememberIssuer({ dataDir }: Config, url: string): Promise<void> {
  await mkdir(path.dirname(issuerFile(dataDir)), { recursive: true, mode: 0o700 });
  await writeFile(issuerFile(dataDir), url, { mode: 0o600 });
}

/** Signals closer together than this come from one press of a key. */
const onePressMilliseconds = 1000;

interface Signals {
  /** The first one, also when it came during the start. */
  first: Promise<NodeJS.Signals>;
  /** One more, from somebody who does not want to wait. */
  second: Promise<NodeJS.Signals>;
}

/** npm passes on what the terminal has sent to both of us: two in a breath are one. */
function listenForSignals(): Signals {
  let askedAt: number | undefined;
  const heard = (fits: () => boolean) =>
    new Promise<NodeJS.Signals>((resolve) => {
      const hear = (signal: NodeJS.Signals) => fits() && resolve(signal);
      process.on('SIGTERM', hear).on('SIGINT', hear);
    });
  const first = heard(() => Boolean((askedAt ??= performance.now())));
  const second = heard(() => performance.now() - askedAt! >= onePressMilliseconds);
  return { first, second };
}

function untilStopped(app: App, { first, second }: Signals): Promise<number> {
  return new Promise((resolve) => {
    const fail = (error: unknown, when: string) => {
      app.observer.observeDefect(error, when);
      app.kill();
      resolve(1);
    };
    process.on('uncaughtException', (error) => fail(error, 'uncaught'));
    void first.then((signal) => {
      app.observer.observe({ kind: 'stopping', signal });
      return app.stop().then(
        () => resolve(0),
        (error: unknown) => fail(error, 'stop'),
      );
    });
    void second.then(() => {
      app.kill();
      resolve(1);
    });
  });
}

function banner({ url, demo }: App): string {
  const lines = [
    '',
    `  Ledgerline sandbox   ${url}`,
    `  A wallet’s activity  ${url}/wallet`,
    `  API reference        ${url}/docs`,
    `  Texts arrive at      ${url}/sandbox/messages`,
    '',
    '  Get a token (client sandbox, secret sandbox):',
    '',
    `    TOKEN=$(curl -s ${url}/connect/token -d grant_type=client_credentials \\`,
    `      -d client_id=sandbox -d client_secret=sandbox | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
    '',
  ];
  if (demo !== undefined) {
    lines.push(
      `  Individual ${demo} has a year of transactions. Look at the newest three:`,
      '',
      `    curl -s ${url}/app/get-all-transactions -H "Authorization: Bearer $TOKEN" \\`,
      `      -H 'Content-Type: application/json' -d '{"individualId":${demo},"dataBatch":1,"dataBatchCount":3}'`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
