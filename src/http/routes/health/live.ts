import { record, word } from '../../../formats/record.ts';
import { required, text } from '../../../formats/shape.ts';
import { version } from '../../../version.ts';
import { operation, reply } from '../../operation.ts';

const liveness = record('Liveness', {
  status: required(word(['live']), 'Always live.'),
  version: required(text(), 'The release of the service.'),
});

export const liveOperation = () =>
  operation({
    name: 'live',
    isVital: true,
    method: 'GET',
    path: '/health/live',
    tag: 'Health',
    summary: 'Check liveness',
    about: 'Whether the process answers.',
    responses: { 200: { about: 'It answers.', shape: liveness } },
    handle: () => reply(200, liveness, { status: 'live', version }),
  });
