/** The outline of what is on its way, so that the page does not jump when it arrives. */
export function Skeleton({ text }: { text: string }) {
  return (
    <div class="skeleton-rows" role="status">
      <span class="unseen">{text}</span>
      {Array.from({ length: 5 }, (_, index) => (
        <span key={index} class="skeleton-row" />
      ))}
    </div>
  );
}
