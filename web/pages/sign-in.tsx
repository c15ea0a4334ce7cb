/** Outside the sandbox a person brings a token. It stays in the memory of the page. */
import { useEffect, useRef } from 'preact/hooks';

interface SignInProps {
  about: string;
  /** Whether the service refused the last token. */
  isRefused?: boolean;
  onToken(token: string): void;
}

export function SignIn({ about, isRefused, onToken }: SignInProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current!.focus(), [isRefused]);
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
        {isRefused && (
          <p class="complaint" role="alert">
            That token was refused or has expired. Paste another one.
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
