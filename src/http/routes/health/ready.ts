import { record, word } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { version } from '../../../version.ts';
import { operation, reply } from '../../operation.ts';

const readiness = record('Readiness', {
  status: required(word(['ready']), 'Always ready.'),
  version: required(text(), 'The release of the service.'),
});

/** `checkReady` throws the reason why requests cannot be served. */
export const readyOperation = (checkReady: () => void) =>
  operation({
    name: 'ready',
    isVital: true,
    method: 'GET',
    path: '/health/ready',
    tag: 'Health',
    summary: 'Check readiness',
    about: 'Whether requests can be served.',
    responses: { 200: { about: 'They can be served.', shape: readiness } },
    errors: ['stopping', 'database-unavailable', 'issuer-unavailable'],
    handle() {
      checkReady();
      return reply(200, readiness, { status: 'ready', version });
    },
  });
