/**
 * Amounts are exact decimals in JSON, and a double cannot represent all of them: 9007199254740993.17 would become
 * another number. So the digits are kept as text, in addition to the number.
 */

const exactMembers = new Set([
  ...['amount', 'moneyIn', 'moneyOut', 'other'],
  ...['transactionFee', 'originalAmount', 'balanceAfter'],
]);

/**
 * Matches whole strings, so that nothing inside one is read as a member, the number after a member's name, and brackets.
 */
const tokens = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(-?\d[\d.eE+-]*)?)?|[[\]{}]/g;

/** Belongs to the customer, whatever its members are called. */
const foreignMember = '"additionalData"';

/** Like JSON.parse; `amount: 12.50` also gives `amountText: '12.50'`. */
export function parseExact(json: string): unknown {
  let depth = 0;
  let foreignDepth = Infinity;
  let isForeignNext = false;
  const doubled = json.replace(tokens, (all, name?: string, colon?: string, digits?: string) => {
    if (name === undefined) {
      if (all === '{' || all === '[') {
        depth += 1;
        if (isForeignNext) foreignDepth = Math.min(foreignDepth, depth);
      } else {
        if (depth === foreignDepth) foreignDepth = Infinity;
        depth -= 1;
      }
      isForeignNext = false;
      return all;
    }
    isForeignNext = colon !== undefined && name === foreignMember;
    const member = name.slice(1, -1);
    return digits !== undefined && depth < foreignDepth && exactMembers.has(member)
      ? `${all},"${member}Text":"${digits}"`
      : all;
  });
  return JSON.parse(doubled);
}
