import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../openapi.ts';
import { operation, originOf } from '../operation.ts';
import { referenceCss, referencePage } from '../reference-page.ts';

const styleHash = createHash('sha256').update(referenceCss).digest('base64');

/** The page needs one style sheet, its own, and nothing from any other origin. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const docsOperation = (document: () => OpenApiDocument) =>
  operation({
    name: 'docs',
    method: 'GET',
    path: '/docs',
    tag: 'Reference',
    summary: 'Read this API as a page',
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
