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

export interface Comparator {
  name: string
  // What the comparator does not do, although svc does, or has to.
  leavesOut: string
}

export interface Row {
  // What is typed to measure this row alone, such as `list-http`.
  name: string
  title: string
  unit: 'ms' | 'requests/s' | 'rows/s' | '%'
  // The figure is the ratio to this one; for a unit per second too, so that more is better there.
  comparator?: Comparator
  bound?: {atMost: number} | {atLeast: number}
  measure: (bench: Bench) => Promise<readonly Round[]>
}

// What the rows of one run share.
export interface Bench {
  // The number of rounds: the row's own, or the one that --rounds asks for.
  countRounds: (usual: number) => number
  // Opens what several rows use, such as a server, once. `close` runs when all rows are measured.
  share: <Value>(name: string, open: () => Promise<Shared<Value>>) => Promise<Value>
  // A temporary folder of this run.
  folder: string
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
