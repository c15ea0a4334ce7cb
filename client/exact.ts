/**
 * Amounts are exact decimals in JSON, and a double cannot represent all of them: 9007199254740993.17 would become
 * another number. So the digits are kept as text, in addition to the number.
 */

const exactMembers = new Set(['amount', 'moneyIn', 'moneyOut', 'other']);

/** Matches whole strings, so that nothing inside one is read as a member, and the number after a member's name. */
const nameAndNumber = /("(?:[^"\\]|\\.)*")(?:\s*:\s*(-?\d[\d.eE+-]*))?/g;

/** Like JSON.parse; `amount: 12.50` also gives `amountText: '12.50'`. */
export function parseExact(json: string): unknown {
  const doubled = json.replace(nameAndNumber, (all, name: string, digits: string | undefined) => {
    const member = name.slice(1, -1);
    return digits !== undefined && exactMembers.has(member) ? `${all},"${member}Text":"${digits}"` : all;
  });
  return JSON.parse(doubled);
}
