/**
 * Keeps the place of the keyboard. If the focused element is removed, the browser gives the focus to the page, and a
 * person with a keyboard or a screen reader starts again at its top. So something near gets the focus instead: what is
 * now at the same position in the same group, otherwise the nearest box with the attribute `data-focus-home`, or in it the
 * row that is the tab stop of the list.
 */

const reachable = 'button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled), summary';

interface Place {
  element: Element;
  /** What is around it, from the inside to the outside. */
  around: Element[];
  /** Its position among what can be reached in the box around it. */
  index: number;
}

export function keepFocus(root: ShadowRoot): () => void {
  let place: Place | undefined;

  function onFocus({ target }: Event): void {
    const element = target as Element;
    const around: Element[] = [];
    for (let box = element.parentElement; box; box = box.parentElement) around.push(box);
    place = { element, around, index: [...(around[0]?.querySelectorAll(reachable) ?? [])].indexOf(element) };
  }

  /** A person who turns to something else leaves an element that stays. */
  function onBlur({ target }: Event): void {
    queueMicrotask(() => {
      if ((target as Element).isConnected && place?.element === target) place = undefined;
    });
  }

  function look(): void {
    if (!place || place.element.isConnected) return;
    const { around, index } = place;
    place = undefined;
    const isLost = !root.activeElement && [document.body, root.host, null].includes(document.activeElement);
    if (isLost) nearest(around, index)?.focus({ preventScroll: true });
  }

  const observer = new MutationObserver(look);
  observer.observe(root, { childList: true, subtree: true });
  root.addEventListener('focusin', onFocus);
  root.addEventListener('focusout', onBlur);
  return () => {
    observer.disconnect();
    root.removeEventListener('focusin', onFocus);
    root.removeEventListener('focusout', onBlur);
  };
}

function nearest(around: Element[], index: number): HTMLElement | undefined {
  const [group] = around;
  const others = group?.isConnected && !isHome(group) ? [...group.querySelectorAll<HTMLElement>(reachable)] : [];
  if (others.length > 0) return others[Math.min(Math.max(index, 0), others.length - 1)];
  const home = around.find((box) => box.isConnected && isHome(box)) as HTMLElement | undefined;
  const row = home?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
  if (row) return row;
  if (home) home.tabIndex = -1;
  return home;
}

function isHome(box: Element): boolean {
  return box.hasAttribute('data-focus-home');
}
