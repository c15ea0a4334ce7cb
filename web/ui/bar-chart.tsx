/** Groups of bars: plain SVG, with the numbers of a group on hover and by arrow keys, and all of them in a table. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FigureTable } from './figure-table.tsx';

export interface Series {
  name: string;
  /** One of `tone-a`, `tone-b`, `tone-c`. */
  tone: string;
  values: number[];
}

interface BarChartProps {
  title: string;
  /** The name of what the labels are, such as "Day". */
  labelName: string;
  labels: string[];
  series: Series[];
  format(value: number): string;
  formatShort(value: number): string;
}

const height = 200;
/** The width of a label in pixels. */
const labelWidth = 60;
const inset = { left: 36, bottom: 24, top: 8 };

/** One group for each label. */
export function BarChart(props: BarChartProps) {
  const { title, labels, series, format } = props;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const [pointed, setPointed] = useState<number>();
  const group = (width - inset.left) / Math.max(1, labels.length);

  function onKeyDown(event: KeyboardEvent): void {
    const last = labels.length - 1;
    const at = pointed ?? last;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') setPointed(undefined);
    if (next === undefined) return;
    event.preventDefault();
    setPointed(Math.min(last, Math.max(0, next)));
  }

  const onPoint = (event: PointerEvent) => {
    const x = event.clientX - place.current!.getBoundingClientRect().left - inset.left;
    setPointed(Math.min(labels.length - 1, Math.max(0, Math.floor(x / group))));
  };
  const at = pointed ?? labels.length - 1;
  const numbers = series.map(({ name, values }) => `${name} ${format(values[at]!)}`).join(', ');
  return (
    <figure class="bar-chart">
      <div
        ref={place}
        class="bar-chart-place"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={1}
        aria-valuemax={labels.length}
        aria-valuenow={at + 1}
        aria-valuetext={`${labels[at]}: ${numbers}`}
        onKeyDown={onKeyDown}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setPointed(labels.length - 1)}
        onBlur={() => setPointed(undefined)}
        onPointerMove={onPoint}
        onPointerDown={onPoint}
        onPointerLeave={() => setPointed(undefined)}
      >
        <Bars {...props} width={width} group={group} pointed={pointed} />
        {pointed !== undefined && (
          <Tooltip {...props} at={pointed} x={inset.left + group * (pointed + 0.5)} width={width} />
        )}
      </div>
      <figcaption aria-hidden="true">
        {series.map(({ name, tone }) => (
          <span key={name} class={`chart-key ${tone}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <FigureTable
        title={title}
        columns={[props.labelName, ...series.map(({ name }) => name)]}
        rows={labels.map((label, index) => [label, ...series.map(({ values }) => format(values[index]!))])}
      />
    </figure>
  );
}

/** Drawn in the available width, so that the text is as large as elsewhere. */
function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry!.contentRect.width))));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

interface BarsProps extends BarChartProps {
  width: number;
  /** The width of a group. */
  group: number;
  pointed: number | undefined;
}

function Bars({ labels, series, formatShort, width, group, pointed }: BarsProps) {
  const highest = roundUp(Math.max(1, ...series.flatMap(({ values }) => values)));
  const bar = Math.min(22, (group * 0.7) / series.length);
  const floor = height - inset.bottom;
  const y = (value: number) => floor - (value / highest) * (floor - inset.top);
  // Only as many labels as fit.
  const every = Math.ceil((labels.length * labelWidth) / (width - inset.left));
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
      {pointed !== undefined && (
        <rect class="pointed-group" x={inset.left + group * pointed} width={group} y={0} height={floor} />
      )}
      {[0, 0.5, 1].map((part) => (
        <g key={part}>
          <line x1={inset.left} x2={width} y1={y(highest * part)} y2={y(highest * part)} />
          <text x={inset.left - 8} y={y(highest * part) + 4} text-anchor="end">
            {formatShort(highest * part)}
          </text>
        </g>
      ))}
      {labels.map((label, index) => {
        const middle = inset.left + group * (index + 0.5);
        const start = middle - (bar * series.length) / 2;
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
              // The last label must not be cut off at the edge.
              <text x={Math.min(middle, width - labelWidth / 2)} y={height - 6} text-anchor="middle">
                {label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface TooltipProps extends BarChartProps {
  at: number;
  x: number;
  width: number;
}

/** On the side of its group that has more room. */
function Tooltip({ labels, series, format, at, x, width }: TooltipProps) {
  const isLeft = x > width / 2;
  return (
    <dl class={isLeft ? 'chart-tooltip before-group' : 'chart-tooltip'} style={{ left: `${x}px` }} aria-hidden="true">
      <dt>{labels[at]}</dt>
      {series.map(({ name, tone, values }) => (
        <dd key={name} class={`chart-key ${tone}`}>
          {name} <b>{format(values[at]!)}</b>
        </dd>
      ))}
    </dl>
  );
}

/** Even, so that the line in the middle is a whole number too. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power);
  return steps.find((nice) => nice >= value && nice % 2 === 0) ?? value;
}
