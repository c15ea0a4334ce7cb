/** The channel in a request, for every operation that sends a code. */
import type { FieldErrors } from '../../errors.ts';
import { optional, text } from '../../formats/shape.ts';
import { channels } from '../../sms/channels.ts';

const unsupported = 'Channel not supported.';

export const channelMember = optional(
  text({
    parse: (given) => channels.find((channel) => channel === given),
    message: unsupported,
    schema: { enum: [...channels] },
  }),
  'How the code is sent: `sms`, `whatsapp` or `voice`. If absent, the first channel of the phone’s country.',
);

/** Refuses a channel that is known but not allowed, with the same words. */
export function refuseChannel(errors: FieldErrors): void {
  errors.Channel ??= [unsupported];
}
