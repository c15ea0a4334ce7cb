/** From a union of types to one type that has the members of all. */
export type Merged<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void ? I : never;
