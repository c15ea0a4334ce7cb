import { isUuid } from '../../../values/uuid.ts';

/** The id of a confirmation in a path. Undefined if the path cannot name a confirmation. */
export function confirmationIdOf({ parameters }: { parameters: Readonly<Record<string, string>> }): string | undefined {
  const { confirmationId = '' } = parameters;
  return isUuid(confirmationId) ? confirmationId : undefined;
}
