/** A point in time as callers give it. */
import { text, type Shape } from '../../formats/shape.ts';
import type { Instant } from '../../values/instant.ts';

export const timestamp = (parse: (given: string) => Instant | undefined): Shape<Instant> =>
  text({
    trim: true,
    parse,
    message: 'The field {0} must be an ISO 8601 date-time.',
    schema: { format: 'date-time' },
  });
