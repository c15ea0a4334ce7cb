import type { PageName } from '../../../config/settings/server.ts';
import { pageNotBuilt } from '../../../errors.ts';
import { operation } from '../../operation.ts';
import type { Pages } from '../../pages.ts';

const known: Record<PageName, { path: string; summary: string }> = {
  sandbox: { path: '/', summary: 'Sandbox page' },
  wallet: { path: '/wallet', summary: 'Wallet page' },
  console: { path: '/console', summary: 'Console page' },
};

export const pageOperation = (name: PageName, { html }: Pages) =>
  operation({
    name: `page-${name}`,
    method: 'GET',
    path: known[name].path,
    tag: 'Pages',
    summary: known[name].summary,
    responses: {
      200: { about: 'The page.', contentType: 'text/html' },
      304: { about: 'The page has the ETag in If-None-Match.' },
    },
    errors: ['not-found'],
    handle({ request }) {
      const file = html[name];
      if (!file) throw pageNotBuilt();
      return file.reply(request);
    },
  });
