/** The choices of a `<select>`. */
export type Option = readonly [value: string, name: string];

export function Options({ of: options }: { of: readonly Option[] }) {
  return options.map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ));
}
