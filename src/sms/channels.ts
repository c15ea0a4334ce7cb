/** The channels over which a code reaches a phone. */

export const channels = ['sms', 'whatsapp', 'voice'] as const;

export type CodeChannel = (typeof channels)[number];

/** The channels of a country in their order, `*` for all other countries. */
export type ChannelOrder = ReadonlyMap<string, readonly CodeChannel[]>;
