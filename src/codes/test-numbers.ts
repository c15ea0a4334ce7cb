/** Phone numbers for app reviewers: no text is sent, the code is fixed, and both are valid until a given date. */
export interface TestNumber {
  e164: string;
  code: string;
  until: Date;
}

export type FindTestNumber = (e164: string, now: Date) => TestNumber | undefined;

export function testNumbers(numbers: readonly TestNumber[]): FindTestNumber {
  const byNumber = new Map(numbers.map((testNumber) => [testNumber.e164, testNumber]));
  return (e164, now) => {
    const found = byNumber.get(e164);
    return found && now < found.until ? found : undefined;
  };
}

export const testGateway = 'test-number';
