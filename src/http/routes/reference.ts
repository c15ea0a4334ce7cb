import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../openapi.ts';
import { json, operation, originOf } from '../operation.ts';
import { referenceCss, referencePage } from '../reference-page.ts';

export const openApiOperation = (document: () => OpenApiDocument) =>
  operation({
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Reference',
    summary: 'This API as OpenAPI 3.1',
    responses: { 200: { about: 'The document.', schema: { type: 'object' } } },
    handle: () => json(200, document()),
  });

const styleHash = createHash('sha256').update(referenceCss).digest('base64');

/** The page needs one style sheet, its own, and nothing else from anywhere. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const docsOperation = (document: () => OpenApiDocument) =>
  operation({
    name: 'docs',
    method: 'GET',
    path: '/docs',
    tag: 'Reference',
    summary: 'This API as a page',
    responses: { 200: { about: 'The page.', contentType: 'text/html' } },
    handle: ({ request }) => ({
      status: 200,
      body: referencePage(document(), originOf(request.headers)),
      contentType: 'text/html; charset=utf-8',
      headers: {
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    }),
  });
