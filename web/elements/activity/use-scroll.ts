/** The visible part of the list, inside its scroller and inside the window. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ScrollRange } from './scroll-range.ts';

/** After this time without a scroll event a movement has ended. */
const settleMilliseconds = 200;

export interface View {
  /** The position in the list at the top of the visible part. */
  top: number;
  height: number;
  /** The position in the list minus the position in the list's box. */
  offset: number;
}

export interface Scroll {
  view: View;
  boxHeight: number;
  scrollTo(listTop: number): void;
}

export function useScroll(box: { current: HTMLDivElement | null }, scroller: HTMLElement, listHeight: number): Scroll {
  const [view, setView] = useState<View>({ top: 0, height: 800, offset: 0 });
  const [screenHeight, setScreenHeight] = useState(() => screenHeightOf(scroller));
  const range = useMemo(() => new ScrollRange(listHeight, screenHeight), [listHeight, screenHeight]);
  const latestRange = useRef(range);
  latestRange.current = range;

  /** Where the visible part begins, measured from the top of the list's box, and how tall it is. */
  function measure(): { boxTop: number; height: number } {
    const around = scroller.getBoundingClientRect();
    const top = Math.max(around.top, 0);
    const bottom = Math.min(around.top + scroller.clientHeight, innerHeight);
    return { boxTop: top - box.current!.getBoundingClientRect().top, height: Math.max(bottom - top, 0) };
  }

  function scrollBox(boxTop: number): void {
    const distance = boxTop - measure().boxTop;
    // An element that is as tall as its content does not scroll: the window does.
    if (scroller.scrollHeight > scroller.clientHeight + 1) scroller.scrollTop += distance;
    else window.scrollBy(0, distance);
  }

  function settle(): void {
    const boxTop = latestRange.current.settle();
    if (boxTop !== undefined) scrollBox(boxTop);
  }

  function look(): void {
    if (!box.current) return;
    const { boxTop, height } = measure();
    const top = latestRange.current.scrolledTo(boxTop);
    if (latestRange.current.isStuck) settle();
    const { offset } = latestRange.current;
    setScreenHeight(screenHeightOf(scroller));
    setView((before) =>
      before.top === top && before.height === height && before.offset === offset ? before : { top, height, offset },
    );
  }

  // A new range continues at the position of the last one.
  useLayoutEffect(() => {
    if (range.isMapped && view.top > 0) scrollBox(range.moveTo(Math.min(view.top, listHeight - screenHeight)));
    look();
  }, [range]);

  useLayoutEffect(() => {
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lookNow = () => {
      frame = 0;
      look();
    };
    const lookSoon = () => (frame ||= requestAnimationFrame(lookNow));
    const onScroll = () => {
      lookSoon();
      clearTimeout(timer);
      timer = setTimeout(settle, settleMilliseconds);
    };
    const observer = new ResizeObserver(lookSoon);
    observer.observe(scroller);
    observer.observe(box.current!.parentElement!);
    // Scroll events do not bubble, and the window may be what scrolls.
    addEventListener('scroll', onScroll, { passive: true, capture: true });
    addEventListener('resize', lookSoon);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      observer.disconnect();
      removeEventListener('scroll', onScroll, { capture: true });
      removeEventListener('resize', lookSoon);
    };
  }, [scroller]);

  function scrollTo(listTop: number): void {
    scrollBox(latestRange.current.moveTo(listTop));
    look();
  }
  return { view, boxHeight: range.boxHeight, scrollTo };
}

function screenHeightOf(scroller: HTMLElement): number {
  return Math.min(scroller.clientHeight, innerHeight);
}
