/** Who a message comes from: by gateway and country, by gateway, by country, or the one for all. */
export type Senders = ReadonlyMap<string, string>;

export type SenderOf = (country: string | undefined) => string;

export function senderOf(gateway: string, senders: Senders, fallback: string): SenderOf {
  return (country) =>
    senders.get(`${gateway}/${country}`) ?? senders.get(gateway) ?? senders.get(country ?? '') ?? fallback;
}
