import type { OpenApiDocument } from '../../openapi/openapi.ts';
import { jsonText, operation } from '../../operation.ts';

/** Made when it is first requested: it takes as long as everything else at the start. */
export function openApiOperation(describe: () => OpenApiDocument) {
  let text: string | undefined;
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
    },
    handle: () => jsonText(200, (text ??= JSON.stringify(describe()))),
  });
}
