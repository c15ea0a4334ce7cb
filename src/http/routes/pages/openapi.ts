import type { OpenApiDocument } from '../../openapi/openapi.ts';
import { operation } from '../../operation.ts';
import { staticFile, type StaticFile } from '../../pages.ts';

/** Made when it is first requested: it takes as long as everything else at the start. */
export function openApiOperation(describe: () => OpenApiDocument) {
  let file: StaticFile | undefined;
  return operation({
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Reference',
    summary: 'OpenAPI document',
    responses: {
      200: {
        about: 'The document.',
        schema: { type: 'object', required: ['openapi', 'paths'] },
        example: { openapi: '3.1.0', info: { title: 'Ledgerline' }, paths: {} },
      },
      304: { about: 'The document has the ETag in If-None-Match.' },
    },
    handle({ request }) {
      file ??= staticFile('/openapi.json', '.json', Buffer.from(JSON.stringify(describe())), {
        'cache-control': 'no-cache',
      });
      return file.reply(request);
    },
  });
}
