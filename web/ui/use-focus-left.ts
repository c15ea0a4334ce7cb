/** Calls back when the reader turns to something outside a box: by the keyboard, or by a press. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Some browsers give a button no focus when it is clicked, so a focus that goes nowhere says nothing. */
export function useFocusLeft(box: RefObject<HTMLElement | null>, onLeft: () => void): void {
  const latest = useRef(onLeft);
  latest.current = onLeft;
  useLayoutEffect(() => {
    const element = box.current!;
    const onFocusOut = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget && !element.contains(relatedTarget as Node)) latest.current();
    };
    // In a shadow tree the target of the document is the host, but the path begins inside.
    const onPress = (event: Event) => {
      if (!event.composedPath().includes(element)) latest.current();
    };
    element.addEventListener('focusout', onFocusOut);
    document.addEventListener('pointerdown', onPress);
    return () => {
      element.removeEventListener('focusout', onFocusOut);
      document.removeEventListener('pointerdown', onPress);
    };
  }, []);
}
