/** Phone numbers for app reviewers: no text is sent, the code is fixed, and both are valid until a given date. */
export interface TestNumber {
  /** The phone's key. */
  phone: string;
  code: string;
  until: Date;
}

export type FindTestNumber = (phone: string, now: Date) => TestNumber | undefined;

export function testNumbers(numbers: readonly TestNumber[]): FindTestNumber {
  const byPhone = new Map(numbers.map((testNumber) => [testNumber.phone, testNumber]));
  return (phone, now) => {
    const found = byPhone.get(phone);
    return found && now < found.until ? found : undefined;
  };
}

export const testGateway = 'test-number';
