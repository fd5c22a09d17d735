// One row of the table of `npm run bench`: what is measured, what it is compared with, and its bound.

// `value` is in the unit of the row, and `byCpu` the same by CPU time, user and system, where that is known.
export interface Cost {
  value: number
  byCpu?: number
}

// One round of a row. Svc and its comparator take turns, so that noise of the machine affects both. Without a comparator the
// figure of the row is the value itself.
export interface Round {
  own: Cost
  base?: Cost
}

// What svc costs at one size of the input.
export interface SizeCost {
  size: number
  value: number
}

export interface Measured {
  rounds: readonly Round[]
  // Three sizes or more, from which the exponent of the growth is computed.
  sizes?: readonly SizeCost[]
  // A remark on this run, such as the version of another program.
  note?: string
}

export interface Comparator {
  name: string
  // What the comparator does not do, although svc does, or has to.
  leavesOut: string
}

export type Bound = {atMost: number} | {atLeast: number}

export interface Row {
  // What is typed to measure this row alone, such as `list-http`.
  name: string
  title: string
  unit: 'ms' | 's' | 'MB' | 'requests/s' | 'rows/s' | '%'
  // The figure is the ratio to this one; for a unit per second too, so that more is better there.
  comparator?: Comparator
  // A row without a bound is there to be compared with.
  bound?: Bound
  // Takes minutes, so that it is measured with --long or by its name alone.
  isLong?: true
  // What the sizes count, such as `rows`.
  sizeUnit?: string
  // An undefined result says that the row cannot be measured here, for the reason that `bench.skip` was given.
  measure: (bench: Bench) => Promise<Measured | undefined>
}

// What the rows of one run share.
export interface Bench {
  // The number of rounds: the row's own, or the one that --rounds asks for.
  countRounds: (usual: number) => number
  // Opens what several rows use, such as a server, once. `close` runs when all rows are measured.
  share: <Value>(name: string, open: () => Promise<Shared<Value>>) => Promise<Value>
  // A temporary folder of this run.
  folder: string
  // Says why a row is not measured.
  skip: (why: string) => undefined
}

export interface Shared<Value> {
  value: Value
  close?: () => void | Promise<void>
}

// Measures svc and its comparator in turn, after warm-up rounds that do not count.
export async function takeTurns(
  rounds: number,
  own: () => Promise<Cost>,
  base: () => Promise<Cost>,
  warmUps = 1,
): Promise<Round[]> {
  const taken: Round[] = []
  for (let round = -warmUps; round < rounds; round++) {
    // The order alternates, since what runs second finds warmer caches.
    const isOwnFirst = round % 2 === 0
    const first = await (isOwnFirst ? own() : base())
    const second = await (isOwnFirst ? base() : own())
    if (round >= 0) taken.push(isOwnFirst ? {own: first, base: second} : {own: second, base: first})
  }
  return taken
}
