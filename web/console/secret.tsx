/** A secret that is shown once. */
export function Secret({ secret }: { secret: string | undefined }) {
  return (
    <div role="status">
      {secret !== undefined && (
        <p class="secret">
          The receiver checks signatures with this secret. It is shown only now:
          <code>{secret}</code>
        </p>
      )}
    </div>
  );
}
