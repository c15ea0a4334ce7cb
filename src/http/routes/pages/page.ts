import type { PageName } from '../../../config/settings/server.ts';
import { pageNotBuilt } from '../../../errors.ts';
import { operation } from '../../operation.ts';
import type { StaticFile } from '../../pages.ts';

/** The other pages of the documentation are files that its first page links to. */
const pages = {
  sandbox: { name: 'page-sandbox', path: '/', tag: 'Pages', summary: 'Sandbox page' },
  wallet: { name: 'page-wallet', path: '/wallet', tag: 'Pages', summary: 'Wallet page' },
  console: { name: 'page-console', path: '/console', tag: 'Pages', summary: 'Console page' },
  docs: { name: 'docs', path: '/docs', tag: 'Reference', summary: 'Documentation' },
} satisfies Record<PageName | 'docs', unknown>;

export const pageOperation = (page: keyof typeof pages, file: StaticFile | undefined) =>
  operation({
    ...pages[page],
    method: 'GET',
    responses: {
      200: { about: 'The page.', contentType: 'text/html' },
      304: { about: 'The page has the ETag in If-None-Match.' },
    },
    errors: ['not-found'],
    handle({ request }) {
      if (!file) throw pageNotBuilt();
      return file.reply(request);
    },
  });
