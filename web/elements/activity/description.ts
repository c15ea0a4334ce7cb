/** What `<ledgerline-activity>` offers. */
import type { Attributes } from '../define-element.ts';
import { shared, type ElementDescription } from '../description.ts';

export const attributes = {
  individual: 'number',
  'base-url': 'string',
  locale: 'string',
  'time-zone': 'string',
  layout: 'string',
  'address-bar': 'string',
  'hide-title': 'boolean',
} as const satisfies Attributes;

const { 'base-url': baseUrl, locale, 'hide-title': hideTitle } = shared.attributes;

export const description: ElementDescription<typeof attributes> = {
  tag: 'ledgerline-activity',
  className: 'LedgerlineActivity',
  about: 'The transactions of one wallet, with search, filters and a chart.',
  attributeKinds: attributes,
  attributes: {
    individual: { about: 'Whose activity is shown; nothing is shown without it.' },
    'base-url': baseUrl,
    locale,
    'time-zone': { about: 'The IANA name of the zone whose days are shown; that of the browser if not given.' },
    layout: {
      about: 'full: everything; list: without the chart; compact: only the rows, closer together.',
      values: "'full' | 'list' | 'compact'",
    },
    'address-bar': {
      about:
        'Keeps the filter and the open transaction in the address of the page. Its value is put before the parameters: activity if it is empty.',
    },
    'hide-title': hideTitle,
  },
  properties: { getToken: shared.token, texts: shared.texts },
  methods: {},
  events: {
    'ledgerline-loaded': { detail: 'LoadedDetail', about: 'The list was read, at first and again.' },
    'ledgerline-transaction-open': {
      detail: 'TransactionOpenDetail',
      about: 'A transaction was chosen. preventDefault() keeps its sheet closed, for a page that shows it itself.',
    },
    'ledgerline-session-expired': { detail: 'SessionExpiredDetail', about: 'There is no valid token.' },
  },
  parts: {
    title: 'The title.',
    count: 'The number of transactions.',
    actions: 'The buttons beside the title.',
    chart: 'The chart.',
    search: 'The field of the search.',
    list: 'The list.',
    heading: 'The heading of a day.',
    row: 'A row; also row-in, row-out or row-other.',
    sheet: 'The sheet of a transaction or of the filters.',
  },
  slots: {},
};
