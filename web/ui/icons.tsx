/** Line drawings, 20 by 20, in the colour of the text. There is always a text next to them with the same meaning. */
const paths = {
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4',
  filters: 'M3 6h14M6 10h8M8.5 14h3',
  calendar: 'M4 5.5h12v11H4zM4 9h12M7.5 3.5v3M12.5 3.5v3',
  export: 'M10 3.5v9M6.5 9l3.5 3.5L13.5 9M4 16.5h12',
  refresh: 'M16 10a6 6 0 1 1-1.8-4.3M16 3.5V7h-3.5',
  before: 'M12 5l-5 5 5 5',
  after: 'M8 5l5 5-5 5',
  below: 'M5 8l5 5 5-5',
  above: 'M5 12l5-5 5 5',
  close: 'M5 5l10 10M15 5L5 15',
  in: 'M14 6L6.5 13.5M6.5 7.5v6h6',
  out: 'M6 14l7.5-7.5M7.5 6.5h6v6',
  clock: 'M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM10 6.5V10l2.5 2',
  offline:
    'M3 3l14 14M3 8.5a10 10 0 0 1 4-2.3M17 8.5a10 10 0 0 0-6-2.9M6 11.5a6 6 0 0 1 2.7-1.5M14 11.5l-1-.7M10 15.5h.01',
  lock: 'M5.5 9h9v7.5h-9zM7.5 9V6.5a2.5 2.5 0 0 1 5 0V9',
  alert: 'M10 3.5l7 12.5H3zM10 8v4M10 14h.01',
  receipt: 'M5 3.5h10v13l-2.5-1.5L10 16.5 7.5 15 5 16.5zM7.5 7h5M7.5 10h5',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'M4.5 10.5l3.5 3.5 7.5-8',
  call: 'M5 3.500h2.500l1.500 3.500-2 1.500a9 9 0 0 0 4.500 4.500l1.500-2 3.500 1.500V15a1.500 1.500 0 0 1-1.500 1.500A12 12 0 0 1 3.500 5 1.500 1.500 0 0 1 5 3.500Z',
  phone: 'M6.500 3.500h7v13h-7zM9 14.500h2',
  globe:
    'M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM3.5 10h13M10 3.5c2.3 2 3 4.300 3 6.500s-.7 4.500-3 6.500c-2.300-2-3-4.300-3-6.500s.7-4.500 3-6.500',
};

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
