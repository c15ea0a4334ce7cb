/** The sender of a message: by gateway and country, by gateway, by country, or the one for all. */
import type { WithExceptions } from '../formats/setting-kinds.ts';

export function senderOf(gateway: string, { value, exceptions }: WithExceptions<string>) {
  return (country: string | undefined): string =>
    exceptions.get(`${gateway}/${country}`) ?? exceptions.get(gateway) ?? exceptions.get(country ?? '') ?? value;
}
