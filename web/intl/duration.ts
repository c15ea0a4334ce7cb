/** Minutes and seconds, with hours in front if there are any: 9:41, 1:00:00. */
export function formatDuration(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => String(part).padStart(index === 0 ? 1 : 2, '0')).join(':');
}
