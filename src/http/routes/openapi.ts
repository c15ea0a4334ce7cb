import type { OpenApiDocument } from '../openapi.ts';
import { json, operation } from '../operation.ts';

export const openApiOperation = (document: () => OpenApiDocument) =>
  operation({
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
    handle: () => json(200, document()),
  });
