/** `ledgerline health`: asks the service on this machine whether it is ready, for container health checks. */
import { loadConfig } from '../config/load.ts';

const timeoutMilliseconds = 2000;

export async function health(): Promise<number> {
  const { host, port } = loadConfig(process.env);
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${port}/health/ready`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });
    const { status, reason } = (await response.json()) as { status?: string; reason?: string };
    console.log(reason ? `${status}: ${reason}` : status);
    return response.ok ? 0 : 1;
  } catch (error) {
    const { name: kind, cause } = error as Error & { cause?: { code?: string } };
    console.error(`No answer from ${url} (${cause?.code ?? kind}).`);
    return 1;
  }
}
