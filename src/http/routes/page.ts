import type { PageName } from '../../config/settings/server.ts';
import { pageNotBuilt } from '../../errors.ts';
import { operation } from '../operation.ts';
import type { Pages } from '../pages.ts';

const known: Record<PageName, { path: string; summary: string }> = {
  sandbox: { path: '/', summary: 'The page of the sandbox' },
  wallet: { path: '/wallet', summary: 'The activity screen of the wallet' },
  console: { path: '/console', summary: 'The operator’s console' },
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
      304: { about: 'The page has the ETag that If-None-Match names.' },
    },
    errors: ['not-found'],
    handle({ request }) {
      const file = html[name];
      if (!file) throw pageNotBuilt();
      return file.reply(request);
    },
  });
