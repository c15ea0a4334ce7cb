/** Where no sandbox gives tokens away, a person brings one. It stays in the page's memory. */
import { useRef } from 'preact/hooks';

export function SignIn({ about, onToken }: { about: string; onToken(token: string): void }) {
  const input = useRef<HTMLInputElement>(null);
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
