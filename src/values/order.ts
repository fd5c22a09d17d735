// Orders items by the first of their values that differ. An absent value comes first.
type Value = string | number

const compare = (one: Value, other: Value): number => {
  if (one === other) return 0
  return one < other ? -1 : 1
}

export const orderBy =
  <T>(list: (item: T) => ReadonlyArray<Value | undefined>) =>
  (one: T, other: T): number => {
    const others = list(other)
    const comparisons = list(one).map((value, index) => compare(value ?? '', others[index] ?? ''))
    return comparisons.find((comparison) => comparison !== 0) ?? 0
  }
