/** A button to what comes before or after, which may be nothing. */
import { Icon, type IconName } from '../../ui/icons.tsx';

interface TurnButtonProps {
  name: IconName;
  label: string;
  /** Undefined if there is nothing. */
  onClick: (() => void) | undefined;
}

/** Never disabled, since a disabled button loses the focus. */
export function TurnButton({ name, label, onClick }: TurnButtonProps) {
  return (
    <button type="button" class="round small" aria-label={label} aria-disabled={!onClick} onClick={onClick}>
      <Icon name={name} />
    </button>
  );
}
