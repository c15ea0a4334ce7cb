/** A TCP proxy that can cut and freeze its connections. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export async function startProxy(targetPort) {
  const pairs = new Set();
  let isFrozen = false;
  let isShut = false;
  /** Bytes that may still pass before all connections are cut. */
  let bytesLeft = Infinity;

  function cutAll() {
    for (const pair of pairs) pair.forEach((socket) => socket.destroy());
  }

  function forward(from, to) {
    from.on('data', (chunk) => {
      if (chunk.length >= bytesLeft) {
        // Half a message arrives, and then nothing.
        to.write(chunk.subarray(0, bytesLeft));
        bytesLeft = Infinity;
        setImmediate(cutAll);
        return;
      }
      bytesLeft -= chunk.length;
      if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => isFrozen || from.resume());
      }
    });
  }

  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(targetPort(), '127.0.0.1');
    const pair = [client, upstream];
    pairs.add(pair);
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    forward(client, upstream);
    forward(upstream, client);
    if (isFrozen) pair.forEach((socket) => socket.pause());
    for (const socket of pair) {
      const end = () => {
        pairs.delete(pair);
        pair.forEach((other) => other.destroy());
      };
      socket.on('error', end).on('close', end);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: server.address().port,
    cutAll,
    /** Cuts all connections after so many more bytes. */
    cutAfter(bytes) {
      bytesLeft = bytes;
    },
    /** Cuts all connections, and takes no others. */
    shut() {
      isShut = true;
      cutAll();
    },
    open() {
      isShut = false;
    },
    freeze() {
      isFrozen = true;
      for (const pair of pairs) pair.forEach((socket) => socket.pause());
    },
    thaw() {
      isFrozen = false;
      for (const pair of pairs) pair.forEach((socket) => socket.resume());
    },
    async stop() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
