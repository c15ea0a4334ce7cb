import type { PageName } from '../../config/settings/server.ts';
import { pageNotBuilt } from '../../errors.ts';
import { operation } from '../operation.ts';
import type { Pages, StaticFile } from '../pages.ts';

const known: Record<PageName, { path: string; summary: string }> = {
  sandbox: { path: '/', summary: 'The sandbox’s page' },
  wallet: { path: '/wallet', summary: 'The wallet’s activity screen' },
  console: { path: '/console', summary: 'The operator’s console' },
};

export const pageOperation = (name: PageName, { html }: Pages) =>
  operation({
    name: `page-${name}`,
    method: 'GET',
    path: known[name].path,
    tag: 'Pages',
    summary: known[name].summary,
    responses: { 200: { about: 'The page.', contentType: 'text/html' } },
    handle({ request }) {
      const file = html[name];
      if (!file) throw pageNotBuilt();
      return file.reply(request);
    },
  });

/** Not in the reference: their names change with every build. */
export const assetOperation = (file: StaticFile) =>
  operation({
    name: 'asset',
    method: 'GET',
    path: file.path,
    tag: 'Pages',
    summary: 'A file that a page loads',
    responses: { 200: { about: 'The file.' } },
    handle: ({ request }) => file.reply(request),
  });
