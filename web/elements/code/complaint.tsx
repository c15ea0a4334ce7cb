/** A message about a failure. A countdown is shown, and spoken once instead of every second. */
interface ComplaintProps {
  id: string;
  text: string;
  /** The message at the time of the failure. */
  spoken: string;
}

export function Complaint({ id, text, spoken }: ComplaintProps) {
  const isCounting = text !== spoken;
  return (
    <p class="complaint" part="message" id={id}>
      <span role="alert" class={isCounting ? 'unseen' : ''}>
        {spoken}
      </span>
      {isCounting && <span aria-hidden="true">{text}</span>}
    </p>
  );
}
