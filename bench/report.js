/** Writes the figures as a page. */
const headings = {
  perSecond: 'a second',
  p50: 'p50 ms',
  p99: 'p99 ms',
  node: 'µs Node each',
  postgres: 'µs PostgreSQL each',
};

export function report(figures, reached) {
  const sections = Object.values(figures);
  const goals = sections.flatMap(({ goals: each }) => each);
  return [
    '# Results',
    '',
    '`npm run bench -- --large` measures all of this again, each figure beside its limit in the same run; `npm run bench -- list` one part.',
    'Without `--large` the growth of one individual is measured up to 1,000,000 rows only, and the rows with 10,000,000 are lost here.',
    'Machines differ and are shared, so the ratios count, not the figures. `pgbench` (Debian: postgresql-contrib) and `wrk`, which loads the list, are used where they are installed.',
    'Why some goals are missed: [profile.md](profile.md).',
    '',
    '| what | measured | goal | |',
    '|---|---:|---:|---|',
    ...goals.map((goal) => {
      const { what, is, least, most } = goal;
      return `| ${what} | ${is ?? '–'} | ${least === undefined ? `≤ ${most}` : `≥ ${least}`} | ${reached(goal) ? '✓' : '✗'} |`;
    }),
    '',
    ...sections.flatMap(section),
  ].join('\n');
}

function section({ title, rows, columns = headings, notes = [], plot, measuredAt, machine, loadBefore }) {
  const names = Object.keys(columns).filter((name) => rows.some((row) => row[name] !== undefined));
  return [
    `## ${title}`,
    '',
    `| | ${names.map((name) => columns[name]).join(' | ')} |`,
    `|---|${names.map(() => '---:|').join('')}`,
    ...rows.map((row) => `| ${row.what} | ${names.map((name) => row[name]?.toLocaleString('en') ?? '').join(' | ')} |`),
    '',
    ...notes.flatMap((note) => [note, '']),
    ...(plot ? [`![${plot.title}](plots/${plot.file})`, ''] : []),
    `Measured on ${measuredAt}: ${machine}${loadBefore === undefined ? '' : `, load average ${loadBefore.toFixed(1)} before the run`}.`,
    '',
  ];
}
