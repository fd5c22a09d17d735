// One row of the table of `npm run bench`: what is measured, what it is compared with, and its bound.

// `value` is in the unit of the row, and `byCpu` the same by CPU time, user and system, where that is known.
export interface Cost {
  value: number
  byCpu?: number
}

export interface Row {
  // What is typed to measure this row alone, such as `list-http`.
  name: string
  title: string
  unit: 'ms' | 'requests/s' | 'rows/s' | '%'
  // The figure is the ratio to this one; for a unit per second too, so that more is better there. Without it the figure is the value.
  comparator?: string
  bound?: {atMost: number} | {atLeast: number}
  // Unless --rounds asks for another number. Those that warm up come before, and do not count.
  rounds: number
  warmUps: number
  open: (bench: Bench) => Promise<Measured>
}

// Svc and its comparator, each measured once by a call.
export interface Measured {
  own: () => Promise<Cost>
  base?: () => Promise<Cost>
}

// What the rows of one run share.
export interface Bench {
  // A temporary folder of this run.
  folder: string
  // Opens what several rows use, such as a server, once.
  share: <Value>(name: string, open: () => Promise<Value>) => Promise<Value>
  // Runs when all rows are measured.
  onClose: (close: () => void | Promise<void>) => void
}

export interface Round {
  own: Cost
  base?: Cost
}

// Svc and its comparator take turns, so that noise of the machine affects both.
export async function takeTurns({own, base}: Measured, rounds: number, warmUps: number): Promise<Round[]> {
  const taken: Round[] = []
  for (let round = -warmUps; round < rounds; round++) {
    // The order alternates, since what runs second finds warmer caches.
    const isBaseFirst = round % 2 !== 0
    const before = isBaseFirst ? await base?.() : undefined
    const measured = await own()
    const after = isBaseFirst ? before : await base?.()
    if (round >= 0) taken.push({own: measured, ...(after && {base: after})})
  }
  return taken
}
