import type { ChangePhone } from '../../../phone/change-phone.ts';
import { emptyAfter, operation } from '../../operation.ts';

export const endChangeOperation = (changePhone: ChangePhone) =>
  operation({
    name: 'end-change',
    method: 'DELETE',
    path: '/User/{id}/phone-number/change',
    tag: 'Phone verification',
    summary: 'Give up a change',
    about: 'The codes of the change are void, and the number stays as it is.',
    scopes: ['phone'],
    responses: { 204: { about: 'There is no change under way.' } },
    handle: ({ id }) => emptyAfter(204, changePhone.giveUpChange(id)),
  });
