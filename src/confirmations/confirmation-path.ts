/** Where a confirmation is found. */
export function confirmationPath(userId: number, confirmationId: string): string {
  return `/User/${userId}/confirmations/${confirmationId}`;
}
