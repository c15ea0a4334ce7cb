/** The paging parameters of the operator's lists, which have the newest entry first. */
import { integer } from '../../formats/record.ts';
import { int32, optional, withDefault } from '../../formats/shape.ts';

export const pageQuery = {
  before: optional(integer(1), 'Only entries with a smaller id: the next page.'),
  count: withDefault(int32(1, 500), 100, 'How many entries at most.'),
};
