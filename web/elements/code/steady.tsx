/**
 * The box around a form. It never gets lower again, so that the host page moves at most once when a message appears, and not
 * at all when it disappears or another step is shown.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LanguageAttributes } from '../../intl/locale.ts';

export function Steady({ language, children }: { language: LanguageAttributes; children: ComponentChildren }) {
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = content.current!;
    const box = element.parentElement!;
    let [width, tallest] = [0, 0];
    const observer = new ResizeObserver(() => {
      const { width: now, height } = element.getBoundingClientRect();
      // With another width every line breaks elsewhere.
      if (now !== width) [width, tallest] = [now, 0];
      if (height <= tallest) return;
      tallest = height;
      // The host page may want no reserve.
      box.style.minHeight = `var(--ledgerline-form-height, max(var(--steps), ${height}px))`;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="language" data-focus-home {...language}>
      <div ref={content}>{children}</div>
    </div>
  );
}
