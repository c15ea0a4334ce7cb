import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port for a server that starts later, or again and again. It is below the ports that systems choose for connections,
 * so that no connection takes it in the meantime.
 */
export async function reservePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return reservePort();
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return port;
}
