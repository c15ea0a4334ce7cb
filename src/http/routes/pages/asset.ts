import { operation } from '../../operation.ts';
import type { StaticFile } from '../../pages.ts';

/** Assets are not in the reference, since their names change with every build. */
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
