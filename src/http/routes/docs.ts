import { randomBytes } from 'node:crypto';
import { pageNotBuilt } from '../../errors.ts';
import { operation } from '../operation.ts';
import type { Pages } from '../pages.ts';

/**
 * Scalar writes its style sheet into the page, which the nonce allows, and sets styles of single elements. It turns
 * Markdown into HTML and sanitizes it itself, which trusted types cannot express. Everything comes from our own origin.
 */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const docsOperation = ({ reference }: Pages) =>
  operation({
    name: 'docs',
    method: 'GET',
    path: '/docs',
    tag: 'Reference',
    summary: 'API reference',
    responses: { 200: { about: 'The page.', contentType: 'text/html' } },
    errors: ['not-found'],
    handle() {
      if (reference === undefined) throw pageNotBuilt();
      const nonce = randomBytes(16).toString('base64');
      return {
        status: 200,
        body: reference.replace('property="csp-nonce" content=""', `property="csp-nonce" content="${nonce}"`),
        contentType: 'text/html; charset=utf-8',
        headers: {
          'cache-control': 'no-store',
          'content-security-policy': policyOf(nonce),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
        },
      };
    },
  });
