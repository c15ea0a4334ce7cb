import { text } from '../../formats/shape.ts';

/** Why an operator changes something. */
export const actionReason = text({ maxLength: 500 });
