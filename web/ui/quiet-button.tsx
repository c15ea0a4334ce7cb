/** A small button without a ground. */
import type { ButtonHTMLAttributes } from 'preact';

export function QuietButton({ class: more, ...props }: Omit<ButtonHTMLAttributes, 'type'>) {
  return <button type="button" class={more ? `quiet small ${String(more)}` : 'quiet small'} {...props} />;
}
