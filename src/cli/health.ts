/** `ledgerline health`: asks the service on this machine whether it is ready, for container health checks. */
import { loadConfig } from '../config/load.ts';

const timeoutMilliseconds = 2000;

export async function health(): Promise<number> {
  const { host, port } = loadConfig(process.env);
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${port}/health/ready`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });
    if (!response.ok) {
      console.log(`${response.status}: ${response.headers.get('error-reason') ?? response.statusText}`);
      return 1;
    }
    const { status } = (await response.json()) as { status?: string };
    console.log(status);
    return 0;
  } catch (error) {
    const { name: kind, cause } = error as Error & { cause?: { code?: string } };
    console.error(`No answer from ${url} (${cause?.code ?? kind}).`);
    return 1;
  }
}
