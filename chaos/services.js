/** Two service processes behind proxies, and a supervisor that starts them again when they end, as systemd would. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeDigestKey, makeSigningKey } from '../dist/auth/keys.js';
import { freePort } from '../dist/network/free-port.js';
import { startProxy } from './proxy.js';

const main = fileURLToPath(new URL('../dist/ledgerline.js', import.meta.url));
const modules = ['clock.js', 'name-server.js'].map((name) => new URL(name, import.meta.url).href);
const restartMilliseconds = 100;
const linesKept = 50;

export const client = { id: 'chaos', secret: randomBytes(16).toString('hex') };

/** Production, with the rules about budgets and failures on and those about floods off. */
async function settingsOf({ gateways, clockFile, publicUrl, nameServer }) {
  const url = (name) => `http://127.0.0.1:${gateways.find((gateway) => gateway.name === name).port}`;
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME ?? '/',
    MODE: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: publicUrl,
    CHAOS_CLOCK_FILE: clockFile,
    CHAOS_NAME_SERVER: `127.0.0.1:${nameServer.address().port}`,
    LEDGERLINE_LOG_LEVEL: 'warn',
    LEDGERLINE_DRAIN_SECONDS: '0',
    LEDGERLINE_DIGEST_KEY: makeDigestKey(),
    LEDGERLINE_SIGNING_KEY: await makeSigningKey(),
    LEDGERLINE_CLIENTS: JSON.stringify([
      {
        id: client.id,
        secretSha256: createHash('sha256').update(client.secret).digest('hex'),
        scopes: ['users', 'phone', 'transactions:read', 'transactions:write', 'events:write'],
        mayBindUsers: false,
      },
    ]),
    LEDGERLINE_COUNTRIES: '*',
    LEDGERLINE_RULES: '*=off,user-sends=enforce,phone-sends=enforce,user-failures=enforce',
    LEDGERLINE_GATEWAYS: 'twilio,infobip,webhook',
    LEDGERLINE_GATEWAY_SECONDS: '2',
    LEDGERLINE_SEND_SECONDS: '6',
    LEDGERLINE_BREAKER: '5/1s/4s',
    LEDGERLINE_TWILIO_ACCOUNT: 'AC1',
    LEDGERLINE_TWILIO_TOKEN: 'chaos',
    LEDGERLINE_GATEWAY_URLS: `twilio=${url('twilio')}`,
    LEDGERLINE_INFOBIP_KEY: 'chaos',
    LEDGERLINE_INFOBIP_URL: url('infobip'),
    LEDGERLINE_WEBHOOK_URL: url('webhook'),
    LEDGERLINE_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

export async function startServices({ history, database, gateways, clockFile, count = 2 }) {
  const issuerPort = await freePort();
  const nameServer = createSocket('udp4').bind(0, '127.0.0.1');
  await once(nameServer, 'listening');
  const publicUrl = `http://127.0.0.1:${issuerPort}`;
  const common = await settingsOf({ gateways, clockFile, publicUrl, nameServer });
  const services = [];
  for (let index = 0; index < count; index += 1) services.push(await startService(index, common, database, history));
  return {
    all: services,
    async stop() {
      await Promise.all(services.map((service) => service.stop()));
      nameServer.close();
    },
  };
}

async function startService(index, common, database, history) {
  const port = await freePort();
  const http = await startProxy(() => port);
  const postgres = await startProxy(() => database.port);
  const url = new URL(database.url);
  url.port = String(postgres.port);
  // The second one has two processes.
  const hasWorkers = index === 1;
  const env = { ...common, PORT: String(port), DATABASE_URL: url.href, LEDGERLINE_PROCESSES: hasWorkers ? '2' : '1' };
  const lines = [];
  let child;
  let isStopping = false;
  let isUp = false;

  function keep(chunk) {
    const added = String(chunk).split('\n').filter(Boolean);
    // What the log says of a 500 is the only way to its cause.
    for (const line of added)
      if (/"msg":"(defect|uncaught-error)"|^Uncaught|triggerUncaughtException/.test(line)) history.addLine(index, line);
    lines.push(...added);
    lines.splice(0, lines.length - linesKept);
  }

  async function isReady() {
    const options = { signal: AbortSignal.timeout(5000) };
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, options).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.status === 200;
  }

  async function watchStart(started) {
    while (child === started && !isStopping && !(await isReady())) await sleep(100);
    isUp = child === started;
  }

  function start() {
    if (isStopping) return;
    isUp = false;
    child = spawn(process.execPath, [...modules.flatMap((module) => ['--import', module]), main, 'serve'], { env });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    void watchStart(child);
    child.once('exit', () => {
      isUp = false;
      if (!isStopping) void sleep(restartMilliseconds).then(start);
    });
  }
  start();

  return {
    index,
    http,
    postgres,
    lines,
    get pid() {
      return child.pid;
    },
    /** Whether it has been ready since its last start. */
    get isUp() {
      return isUp;
    },
    hasWorkers,
    /** The ids of its workers. Empty while it is down, and where there is no /proc. */
    workers() {
      try {
        return readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
          .split(' ')
          .filter(Boolean)
          .map(Number);
      } catch (error) {
        if (['ENOENT', 'ESRCH'].includes(error.code)) return [];
        throw error;
      }
    },
    isReady,
    async stop() {
      isStopping = true;
      const ended = child.exitCode !== null || child.signalCode !== null;
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      if (!ended) await exit;
      clearTimeout(timer);
      await Promise.all([http.stop(), postgres.stop()]);
    },
  };
}
