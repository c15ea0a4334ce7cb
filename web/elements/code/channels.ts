/** The ways in which a code can be sent. */

export type Channel = 'sms' | 'whatsapp' | 'voice';

const known: readonly string[] = ['sms', 'whatsapp', 'voice'] satisfies Channel[];

/** The channels that an attribute names, separated by commas. */
export function channelsOf(attribute: string | null): Channel[] {
  const named = (attribute ?? '').toLowerCase().split(/[\s,]+/);
  return [...new Set(named)].filter((name): name is Channel => known.includes(name));
}
