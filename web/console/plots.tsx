/** Plots of the console: plain SVG, each with the same numbers in a table for screen readers. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatNumber, formatShare, formatShort } from './format.ts';
import { t } from './texts.ts';

export interface Series {
  name: string;
  tone: string;
  values: number[];
}

export interface BarsProps {
  title: string;
  labels: string[];
  series: Series[];
}

const height = 200;
/** The width of a label in pixels. */
const labelWidth = 60;
const inset = { left: 36, bottom: 24, top: 8 };

/** Groups of bars, one group for each label. */
export function Bars({ title, labels, series }: BarsProps) {
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(640);
  // Drawn in the available width, so that the text is as large as elsewhere.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry!.contentRect.width))));
    observer.observe(figure.current!);
    return () => observer.disconnect();
  }, []);
  const highest = roundUp(Math.max(1, ...series.flatMap(({ values }) => values)));
  const group = (width - inset.left) / Math.max(1, labels.length);
  const bar = Math.min(22, (group * 0.7) / series.length);
  const floor = height - inset.bottom;
  const y = (value: number) => floor - (value / highest) * (floor - inset.top);
  // Only as many labels as fit.
  const every = Math.ceil((labels.length * labelWidth) / (width - inset.left));
  return (
    <figure class="plot" ref={figure}>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        {[0, 0.5, 1].map((part) => (
          <g key={part} class="grid">
            <line x1={inset.left} x2={width} y1={y(highest * part)} y2={y(highest * part)} />
            <text x={inset.left - 8} y={y(highest * part) + 4} text-anchor="end">
              {formatShort(highest * part)}
            </text>
          </g>
        ))}
        {labels.map((label, index) => {
          const middle = inset.left + group * (index + 0.5);
          const start = middle - (bar * series.length) / 2;
          // The last label must not be cut off at the edge.
          const labelMiddle = Math.min(middle, width - labelWidth / 2);
          return (
            <g key={label}>
              {series.map(({ name, tone, values }, place) => (
                <rect
                  key={name}
                  class={tone}
                  x={start + bar * place + 1}
                  width={Math.max(1, bar - 2)}
                  y={y(values[index]!)}
                  height={floor - y(values[index]!)}
                  rx={Math.min(3, bar / 3)}
                />
              ))}
              {index % every === 0 && (
                <text x={labelMiddle} y={height - 6} text-anchor="middle">
                  {label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        {series.map(({ name, tone }) => (
          <span key={name} class={`key ${tone}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <div class="unseen">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t.overview.day}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{formatNumber(values[index]!)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** A share as a bar in a table's cell, with the number next to it. */
export function Share({ part, of, tone }: { part: number; of: number; tone: string }) {
  if (of === 0) return <span class="soft">–</span>;
  const percent = Math.round((part / of) * 100);
  return (
    <span class="share">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class="rest" width="100" height="8" rx="4" />
        <rect class={tone} width={percent} height="8" rx="4" />
      </svg>
      {formatShare(part, of)}
    </span>
  );
}

/** Even, so that the line in the middle is a whole number too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power);
  return steps.find((nice) => nice >= value && nice % 2 === 0) ?? value;
}
