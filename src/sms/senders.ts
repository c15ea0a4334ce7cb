/** The sender of a message: by gateway and country, by gateway, by country, or the one for all. */
export type Senders = ReadonlyMap<string, string>;

export function senderOf(gateway: string, senders: Senders, fallback: string) {
  return (country: string | undefined): string =>
    senders.get(`${gateway}/${country}`) ?? senders.get(gateway) ?? senders.get(country ?? '') ?? fallback;
}
