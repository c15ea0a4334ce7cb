/** The words of a verification message. Brand and code only: nothing of a request stands in it. */
export function writeMessage(brand: string, code: string, validSeconds: number): string {
  const minutes = Math.max(1, Math.round(validSeconds / 60));
  return `${brand}: ${code} is your verification code. It is valid for ${minutes} minute${minutes === 1 ? '' : 's'}.`;
}
