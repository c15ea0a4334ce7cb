/** What failed, in place, with what the reader can do about it. */
import type { ComponentChildren } from 'preact';

interface NoticeProps {
  text: ComponentChildren;
  /** What follows from it, such as a countdown. It is not read out each time it changes. */
  about?: ComponentChildren;
  /** Buttons. */
  children?: ComponentChildren;
}

export function Notice({ text, about, children }: NoticeProps) {
  return (
    <div class="notice-bar">
      <p role="alert">{text}</p>
      {about && <span class="notice-about">{about}</span>}
      {children}
    </div>
  );
}
