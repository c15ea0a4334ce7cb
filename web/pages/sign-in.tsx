/** Outside the sandbox a person pastes a token. It stays in the memory of the page. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { pageTexts } from '../intl/languages/page-texts.ts';

interface SignInProps {
  about: string;
  /** English if not given. */
  locale?: string;
  /** Whether the service refused the last token. */
  isRefused?: boolean;
  onToken(token: string): void;
  /** Another way to sign in, above the field. */
  children?: ComponentChildren;
}

export function SignIn({ about, locale = 'en', isRefused, onToken, children }: SignInProps) {
  const texts = pageTexts.of(locale);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current!.focus(), [isRefused]);
  return (
    <main class="sign-in-place" id="content">
      <form
        class="sign-in card"
        onSubmit={(event) => {
          event.preventDefault();
          if (input.current!.value.trim()) onToken(input.current!.value.trim());
        }}
      >
        <h1>{texts.signIn}</h1>
        {children}
        <p>{about}</p>
        {isRefused && (
          <p class="complaint" role="alert">
            {texts.refused}
          </p>
        )}
        <label>
          {texts.token}
          <input ref={input} type="password" autoComplete="off" required />
        </label>
        <button type="submit" class="primary">
          {texts.continue}
        </button>
      </form>
    </main>
  );
}
