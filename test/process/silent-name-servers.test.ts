/** Webhook receivers whose name servers are silent, seen by a service that uses these name servers for everything. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { sandboxKey } from '../../src/auth/keys.ts';
import { gatewayServer } from '../harness/servers/gateway-server.ts';
import { startNameServer } from '../harness/servers/name-server.ts';
import { dataFolder, ServiceProcess } from '../harness/process.ts';
import { cloneDatabase, newPhone } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** Starts a command with another /etc/resolv.conf. Needs root, for the mount and for the port of a name server. */
const withResolvConf = (file: string) => [
  ...['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/resolv.conf && exec "$@"', file],
];
const isPossible = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

it.skipIf(!isPossible)(
  'receivers with a silent name server stop no texts',
  async () => {
    const nameServer = await startNameServer({}, 53, '127.0.0.153');
    // Every text needs a connection, and so a lookup of localhost, which needs one of the threads.
    const gateway = await gatewayServer(() => ({ status: 200, body: { id: 'm1' }, headers: { connection: 'close' } }));
    const database = await cloneDatabase(inject('sandboxTemplateName'));
    onTestFinished(() => database.drop());
    const dataDir = await dataFolder();
    await sandboxKey(dataDir, 'signing.pem', () => inject('signingKey'));
    const resolvConf = path.join(dataDir, 'resolv.conf');
    await writeFile(resolvConf, 'nameserver 127.0.0.153\n');
    const settings = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      LEDGERLINE_GATEWAYS: 'webhook',
      LEDGERLINE_WEBHOOK_URL: `http://localhost:${new URL(gateway.url).port}`,
      LEDGERLINE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    };
    const service = await new ServiceProcess(settings, [], undefined, withResolvConf(resolvConf)).ready();
    onTestFinished(() => void service.child.kill('SIGKILL'));
    const token = await service.token();
    const create = async (pathname: string, body: unknown) =>
      (await service.call('POST', pathname, token, body)).json.id;
    for (let count = 0; count < 8; count += 1) {
      await create('/webhook-endpoints', { url: `https://h${count}.silent/hooks`, types: ['user.created'] });
    }
    const id = await create('/User', {});
    await until(() => new Set(nameServer.asked).size >= 4);
    const sent = await service.call('POST', '/User/phone-number/send-code', token, { id, phoneNumber: newPhone() });
    expect(sent.status).toBe(204);
    expect(gateway.received).toHaveLength(1);
    await until(() => new Set(nameServer.asked).size === 8);
    await service.end('SIGTERM');
  },
  60_000,
);
