/** Which channels a code takes, by the country of the phone and by what the caller asks for. */
import { channelUnsupported } from '../errors.ts';
import type { ChannelOrder, CodeChannel } from '../sms/channels.ts';

export interface ChannelRequest {
  /** ISO 3166 code of the phone's country; undefined if the number is not valid. */
  country: string | undefined;
  /** The only one that the caller accepts. */
  wanted?: CodeChannel | undefined;
  /** Of a repeated text: the channel that is tried first, before the ones that follow it in the order. */
  first?: CodeChannel | undefined;
  /** Whether the text says more than the code. WhatsApp sends codes in texts of its own only. */
  isFreeText?: boolean;
}

export type Channels = ReturnType<typeof createChannels>;

export function createChannels(order: ChannelOrder) {
  function allowedFor({ country, isFreeText = false }: Pick<ChannelRequest, 'country' | 'isFreeText'>) {
    const allowed: readonly CodeChannel[] = order.get(country ?? '') ?? order.get('*')!;
    return isFreeText ? allowed.filter((channel) => channel !== 'whatsapp') : allowed;
  }

  function isAllowed({ wanted, ...text }: Omit<ChannelRequest, 'first'>): boolean {
    return wanted === undefined || allowedFor(text).includes(wanted);
  }

  /** The channels to try, first to last. None if the text is a free one and the country has nothing but WhatsApp. */
  function orderFor({ first, ...text }: Omit<ChannelRequest, 'wanted'>): readonly CodeChannel[] {
    const allowed = allowedFor(text);
    const start = first === undefined ? 0 : Math.max(0, allowed.indexOf(first));
    return start === 0 ? allowed : [...allowed.slice(start), ...allowed.slice(0, start)];
  }

  /** The channels that follow one in the order: none comes twice. */
  function followersOf(channel: CodeChannel, text: Pick<ChannelRequest, 'country' | 'isFreeText'>) {
    const allowed = allowedFor(text);
    const start = allowed.indexOf(channel);
    return start < 0 ? [] : allowed.slice(start + 1);
  }

  /** The channels to try, or the wanted channel alone. Throws if that is not allowed, or if there is none. */
  function choose(request: ChannelRequest): readonly CodeChannel[] {
    const { wanted } = request;
    const order = wanted === undefined ? orderFor(request) : [wanted];
    if (order.length === 0 || !isAllowed(request)) throw channelUnsupported();
    return order;
  }

  return { isAllowed, orderFor, followersOf, choose };
}
