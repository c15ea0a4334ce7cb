/** Where no sandbox gives tokens away, a person brings one. It stays in the page's memory. */
import { useEffect, useRef } from 'preact/hooks';

interface SignInProps {
  about: string;
  /** The last one was of no use. */
  refused?: boolean;
  onToken(token: string): void;
}

export function SignIn({ about, refused, onToken }: SignInProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current!.focus(), [refused]);
  return (
    <main class="sign-in-place">
      <form
        class="sign-in card"
        onSubmit={(event) => {
          event.preventDefault();
          if (input.current!.value.trim()) onToken(input.current!.value.trim());
        }}
      >
        <h1>Sign in</h1>
        <p>{about}</p>
        {refused && (
          <p class="complaint" role="alert">
            That token was refused, or has expired. Please bring another.
          </p>
        )}
        <label>
          Access token
          <input ref={input} type="password" autoComplete="off" required />
        </label>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  );
}
