/** The id of a confirmation in a path. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Undefined if the path cannot name a confirmation. */
export function confirmationIdOf({ parameters }: { parameters: Readonly<Record<string, string>> }): string | undefined {
  const { confirmationId = '' } = parameters;
  return uuid.test(confirmationId) ? confirmationId : undefined;
}
