import type { ChangePhone } from '../../../phone/change-phone.ts';
import { empty, operation } from '../../operation.ts';

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
    async handle({ id }) {
      await changePhone.giveUpChange(id);
      return empty(204);
    },
  });
