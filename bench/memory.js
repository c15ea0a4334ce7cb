/** Memory during import and export: it must not grow with the number of rows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { environment, main, ndjsonRow, randomSource, ratio, round } from './harness.js';

export async function benchMemory(bench, { few, many }) {
  const figures = [];
  for (const [index, rows] of [few, many].entries()) {
    const id = 300_001 + index;
    await bench.sql`insert into users (id, created_at) values (${id}, now())`;
    figures.push({ rows, imported: await importPeak(bench, id, rows), exported: await exportPeak(bench, id, rows) });
  }
  const [least, most] = figures;
  return {
    title: 'Peak memory of the process while streaming (MiB)',
    rows: figures.map(({ rows, imported, exported }) => ({
      what: `${rows.toLocaleString('en')} rows`,
      imported: round(imported),
      exported: round(exported),
    })),
    columns: { imported: '`ledgerline import`', exported: 'service, `export-transactions`' },
    goals: [
      { what: `import of ${many} rows beside ${few}`, is: ratio(most.imported, least.imported), most: 1.3 },
      { what: `export of ${many} rows beside ${few}`, is: ratio(most.exported, least.exported), most: 1.3 },
    ],
  };
}

async function importPeak(bench, id, rows) {
  const child = spawn(process.execPath, [main, 'import', '-'], {
    env: environment(bench),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const random = randomSource(13);
  function* lines() {
    for (let number = 0; number < rows; number += 100) {
      let text = '';
      for (let each = number; each < number + 100; each += 1) {
        text += ndjsonRow(random, id, each, Date.UTC(2020, 0, 1) + each * 10_000);
      }
      yield text;
    }
  }
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, peakMebibytes(child.pid))), 100);
  await pipeline(Readable.from(lines(), { objectMode: false }), child.stdin);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  return peak;
}

async function exportPeak(bench, individualId, rows) {
  const service = await bench.service();
  const response = await fetch(`${service.url}/app/export-transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ individualId }),
  });
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines += 1;
  if (lines < rows) throw new Error(`The export has ${lines} lines.`);
  const peak = peakMebibytes(service.pid);
  await service.stop();
  return peak;
}

function peakMebibytes(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
