/** The last step of a form: a seal, a heading that gets the focus, and what the host page adds. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../ui/icons.tsx';

export function Done({ part, title, children }: { part: string; title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current!.focus({ preventScroll: true }), []);
  return (
    <div class="done" part={part}>
      <span class="seal" part="seal">
        <Icon name="check" />
      </span>
      <h2 ref={heading} tabIndex={-1} part="title">
        {title}
      </h2>
      {children}
      <slot />
    </div>
  );
}
