/** A gateway that accepts everything after a fixed time. */
import { createServer } from 'node:http';

const milliseconds = Number(process.argv[2]);
const server = createServer((request, response) => {
  request.resume();
  setTimeout(
    () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}'),
    milliseconds,
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('disconnect', () => process.exit(0));
