/** A receiver that accepts every webhook at once, and tells how many came and how old each event was, in milliseconds. */
import { createServer } from 'node:http';

let count = 0;
let ages = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  count += 1;
  ages.push(Date.now() - Date.parse(JSON.parse(text).timestamp));
  response.writeHead(204).end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/` }));
process.on('message', (question) => {
  if (question === 'reset') [count, ages] = [0, []];
  process.send({ count, ages: question === 'ages' ? ages : [] });
});
process.on('disconnect', () => process.exit(0));
