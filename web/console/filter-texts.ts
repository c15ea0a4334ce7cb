/** The texts of a filter bar. */
export const filterTexts = {
  filters: 'Filters',
  clear: 'Clear',
  all: 'All',
  remove: (label: string) => `Remove the filter ${label}`,
  chip: (label: string, value: string) => `${label}: ${value}`,
  period: 'Period',
  periods: {
    '': 'Any time',
    '1h': 'Last hour',
    '24h': 'Last 24 hours',
    '7d': 'Last 7 days',
    '30d': 'Last 30 days',
  },
  between: 'Between two times …',
};
