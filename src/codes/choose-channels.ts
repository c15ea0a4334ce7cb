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

interface FollowerRequest extends Pick<ChannelRequest, 'country' | 'isFreeText'> {
  channel: CodeChannel;
}

export type Channels = ReturnType<typeof createChannels>;

export function createChannels(order: ChannelOrder) {
  const allowedIn = (country: string | undefined) => order.get(country ?? '') ?? order.get('*') ?? (['sms'] as const);

  function isAllowed({ country, wanted, isFreeText = false }: Omit<ChannelRequest, 'first'>): boolean {
    return wanted === undefined || (allowedIn(country).includes(wanted) && !(isFreeText && wanted === 'whatsapp'));
  }

  /** The channels to try, first to last. None if the text is a free one and the country has nothing but WhatsApp. */
  function orderFor({ country, first, isFreeText = false }: Omit<ChannelRequest, 'wanted'>): readonly CodeChannel[] {
    const allowed = allowedIn(country);
    const start = first === undefined ? 0 : Math.max(0, allowed.indexOf(first));
    const order = start === 0 ? allowed : [...allowed.slice(start), ...allowed.slice(0, start)];
    return isFreeText ? order.filter((channel) => channel !== 'whatsapp') : order;
  }

  /** The channels that follow one in the order: none comes twice. */
  function followersOf({ country, channel, isFreeText = false }: FollowerRequest): readonly CodeChannel[] {
    const allowed = allowedIn(country);
    const start = allowed.indexOf(channel);
    return start < 0 ? [] : allowed.slice(start + 1).filter((next) => !(isFreeText && next === 'whatsapp'));
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
