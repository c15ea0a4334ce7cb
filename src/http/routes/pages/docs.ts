import { pageNotBuilt } from '../../../errors.ts';
import { operation } from '../../operation.ts';
import type { Pages } from '../../pages.ts';

/** The first page of the documentation. The others are files that it links to. */
export const docsOperation = ({ docs }: Pages) => {
  const start = docs.find(({ path }) => path === '/docs');
  return operation({
    name: 'docs',
    method: 'GET',
    path: '/docs',
    tag: 'Reference',
    summary: 'Documentation',
    responses: {
      200: { about: 'The page.', contentType: 'text/html' },
      304: { about: 'The page has the ETag in If-None-Match.' },
    },
    errors: ['not-found'],
    handle({ request }) {
      if (start === undefined) throw pageNotBuilt();
      return start.reply(request);
    },
  });
};
