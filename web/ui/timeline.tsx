/** Steps in the order of their times. */
import type { ComponentChildren } from 'preact';

export interface TimelineStep {
  at: string;
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

interface TimelineProps {
  steps: readonly TimelineStep[];
  /** Draws a time. */
  timeOf(instant: string): ComponentChildren;
}

export function Timeline({ steps, timeOf }: TimelineProps) {
  return (
    <ol class="time-line">
      {steps.map(({ at, text, tone }, index) => (
        <li key={index} class={`step-${tone}`}>
          {timeOf(at)}
          <p>{text}</p>
        </li>
      ))}
    </ol>
  );
}
