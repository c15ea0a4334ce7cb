/** The rules of phone numbers are a third of the script, so they are loaded when the first number is typed. */
export type NumberRules = typeof import('./number-rules.ts');

let loading: Promise<NumberRules> | undefined;

export function loadNumberRules(): Promise<NumberRules> {
  if (!loading) {
    loading = import('./number-rules.ts');
    // The next caller tries again.
    loading.catch(() => (loading = undefined));
  }
  return loading;
}
