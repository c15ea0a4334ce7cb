/** A full card number is refused, and nothing that a run leaves behind has it. */
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runHere } from '../harness/command.ts';
import { dataFolder, run, startProcess } from '../harness/process.ts';
import { row } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const full = '4929583017264835';
const spellings = [full, '4929 5830 1726 4835', '4929-5830-1726-4835', '4929583*17264835'];
const masked = '492958******4835';
const hasNumber = (text: string) =>
  text.replaceAll(/[ -]/g, '').includes(full) || spellings.some((spelling) => text.includes(spelling));

it('a full card number is in no answer, log, trace, temporary file, report or file of the database', async () => {
  const dataDir = await dataFolder();
  const traces: string[] = [];
  const collector = createServer(async (incoming, answer) => {
    for await (const chunk of incoming) traces.push(String(chunk));
    answer.end('{}');
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void collector.close());
  const service = await startProcess(dataDir, {
    LEDGERLINE_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  });
  const token = await service.token();
  const { json: user } = await service.call('POST', '/User', token, {});
  const left: Record<string, string> = {};

  const rows = [...spellings, Number(full)].map((cardPan) => row(user.id, { cardPan }));
  const kept = row(user.id, { transactionId: 'kept', cardPan: masked });
  const answer = await service.call('POST', '/app/record-transactions', token, { transactions: [...rows, kept] });
  left.answer = JSON.stringify(answer.json);
  expect(answer.json.results.map(({ result }: { result: string }) => result)).toEqual([
    ...rows.map(() => 'rejected'),
    'created',
  ]);
  expect(answer.json.results[0].errors).toEqual({ CardPan: ['The field CardPan must be masked.'] });
  // Malformed JSON, at the number itself.
  const malformed = await fetch(`${service.url}/app/record-transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{"transactions":[{"cardPan": ${full}x}]}`,
  });
  left.malformed = await malformed.text();
  expect(malformed.status).toBe(400);

  // So many refused lines that the answer is kept in a temporary file until it is read.
  const lines = Array.from({ length: 20_000 }, (_, index) =>
    JSON.stringify(row(user.id, { transactionId: `line-${index}`, cardPan: spellings[index % spellings.length] })),
  ).join('\n');
  const sent = request(`${service.url}/app/record-transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  });
  sent.end(lines);
  const answered = once(sent, 'response');
  if (process.platform === 'linux') {
    // From now on: when the answer has come, all of it may be on its way already, and the file be gone.
    left.spilled = await until(() => readDeletedFiles(service.child.pid!));
    expect(left.spilled).toContain('The field CardPan must be masked.');
  }
  const [response] = await answered;
  left.lines = '';
  for await (const chunk of response) left.lines += String(chunk);
  expect(left.lines).toContain('"rejected":20000');
  left.metrics = await (await fetch(`${service.url}/metrics`)).text();
  await service.end('SIGTERM');
  left.log = service.output.stdout + service.output.stderr;

  const folder = await dataFolder();
  await mkdir(folder, { recursive: true });
  const columns = 'individualId,transactionId,amount,currency,timeStamp,cardPan';
  const line = `${user.id},csv,1,EUR,2026-01-01,${full}`;
  for (const [name, text] of [
    ['named', `${columns}\n${line}\n`],
    ['unnamed', `${line}\n`],
  ] as const) {
    await writeFile(path.join(folder, `${name}.csv`), text);
    const report = path.join(folder, `${name}.report`);
    // A process closes the report of an import that fails.
    const { stdout, stderr } = await (name === 'named' ? runHere : run)(
      ['import', path.join(folder, `${name}.csv`), '--report', report],
      {
        DATA_DIR: dataDir,
      },
    );
    left[`import of ${name}`] = stdout + stderr;
    left[`report of ${name}`] = name === 'named' ? await readFile(report, 'utf8') : '';
  }
  expect(left['report of named']).toContain('The field CardPan must be masked.');
  expect(left['import of unnamed']).toContain('there is no column');

  left.traces = traces.join('\n');
  expect(left.traces).toContain('/app/record-transactions');
  for (const [where, text] of Object.entries(left)) expect([where, hasNumber(text)]).toEqual([where, false]);
  const files = await readFolder(dataDir);
  expect(files.some((bytes) => bytes.includes(masked))).toBe(true);
  for (const spelling of spellings) expect(files.filter((bytes) => bytes.includes(spelling))).toEqual([]);
});

/** The content of the files that a process has open and that have no name any more. */
async function readDeletedFiles(pid: number): Promise<string | undefined> {
  for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
    const link = `/proc/${pid}/fd/${descriptor}`;
    const target = await readlink(link).catch(() => '');
    if (/ledgerline-[0-9a-f]{16} \(deleted\)$/.test(target)) return readFile(link, 'utf8');
  }
  return undefined;
}

async function readFolder(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Promise.all(files.map((file) => readFile(file)));
}
