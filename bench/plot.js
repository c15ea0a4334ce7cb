/** A plot with logarithmic axes, as SVG that reads on light and dark pages alike. */
const width = 720;
const height = 380;
const left = 70;
const right = 220;
const top = 44;
const bottom = 44;
const colours = ['#2f7ed8', '#2e9e5b', '#c77700', '#c33', '#7b5bd6'];

export function linePlot({ title, x, lines }) {
  const values = Object.values(lines).flat();
  const decades = (numbers) => [
    Math.floor(Math.log10(Math.min(...numbers))),
    Math.ceil(Math.log10(Math.max(...numbers))),
  ];
  const [x0, x1] = decades(x);
  const [y0, y1] = decades(values);
  const atX = (value) => left + ((Math.log10(value) - x0) / (x1 - x0 || 1)) * (width - left - right);
  const atY = (value) => height - bottom - ((Math.log10(value) - y0) / (y1 - y0 || 1)) * (height - top - bottom);
  const text = (tx, ty, words, more = '') => `<text x="${tx}" y="${ty}" ${more}>${words}</text>`;
  const ticks = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  const name = (value) => (value >= 1e6 ? `${value / 1e6} M` : value >= 1000 ? `${value / 1000} k` : String(value));
  const drawn = Object.entries(lines).map(([label, points], index) => {
    const colour = colours[index % colours.length];
    const path = points.map((value, place) => `${atX(x[place]).toFixed(1)},${atY(value).toFixed(1)}`).join(' ');
    const lastY = atY(points.at(-1));
    return { label, colour, path, lastY, last: points.at(-1) };
  });
  // Labels that would overlap are moved apart.
  let free = -Infinity;
  for (const line of drawn.toSorted((a, b) => a.lastY - b.lastY)) free = line.labelY = Math.max(line.lastY, free + 17);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#888">`,
    text(left, 22, title, 'font-size="15" font-weight="600"'),
    ...ticks(y0, y1).flatMap((value) => [
      `<line x1="${left}" x2="${width - right}" y1="${atY(value)}" y2="${atY(value)}" stroke="#8884"/>`,
      text(left - 8, atY(value) + 4, name(value), 'text-anchor="end"'),
    ]),
    ...ticks(x0, x1).map((value) => text(atX(value), height - bottom + 20, name(value), 'text-anchor="middle"')),
    text((left + width - right) / 2, height - 6, 'rows of the individual', 'text-anchor="middle"'),
    ...drawn.flatMap(({ label, colour, path, labelY, last }) => [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
      ...path
        .split(' ')
        .map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3.5" fill="${colour}"/>`),
      text(width - right + 10, labelY + 4, `${label}: ${last.toFixed(1)}`, `fill="${colour}"`),
    ]),
    '</svg>',
    '',
  ].join('\n');
}
