// Predicts how many rows a second a fleet pays: a discrete-event simulation with the costs that were measured with
// `npm run bench -- fleet-50ms`. docs/scale.md has its figures: node scripts/simulate-fleet.ts
import {createRandom} from './soak-payouts.ts'

// What one row and one transaction cost, in milliseconds of CPU time, and how long the disk takes.
export interface Costs {
  // Of svc: a row without its writes, and one transaction with all that it is asked for.
  rowMs: number
  transactionMs: number
  // Of PostgreSQL.
  databaseRowMs: number
  databaseTransactionMs: number
  syncMs: number
  // Of the service, which runs on the same machine in a measurement, and elsewhere in life.
  serviceMs: number
}

export interface Fleet {
  workers: number
  places: number
  latencyMs: number
  rows: number
  // Cores of each host with workers, how many workers share one, and cores of the database. A measurement has one machine for all.
  machine:
    | {kind: 'one'; cores: number}
    | {kind: 'many'; workersPerHost: number; coresPerHost: number; databaseCores: number}
  networkMs: number
  // Requests that the service takes in a second.
  limitPerSecond?: number
  // Batches that are paid at the same time. Their counts are rows that workers share.
  batches: number
}

type Then = () => void

class Clock {
  now = 0
  readonly #heap: Array<{at: number; order: number; run: Then}> = []
  #order = 0

  after(ms: number, run: Then): void {
    const heap = this.#heap
    let at = heap.push({at: this.now + ms, order: this.#order++, run}) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) break
      this.#swap(at, parent)
      at = parent
    }
  }

  run(): void {
    for (let next = this.#take(); next; next = this.#take()) {
      this.now = next.at
      next.run()
    }
  }

  #take() {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (!last || heap.length === 0) return first
    heap[0] = last
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if (left < heap.length && this.#isBefore(left, least)) least = left
      if (right < heap.length && this.#isBefore(right, least)) least = right
      if (least === at) return first
      this.#swap(at, least)
      at = least
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    return a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order))
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (a && b) [this.#heap[one], this.#heap[other]] = [b, a]
  }
}

// So many at a time, the others in turn: cores, the thread of a worker, or a lock.
class Turns {
  busyMs = 0
  waits = 0
  readonly #clock: Clock
  #free: number
  readonly #queue: Then[] = []

  constructor(clock: Clock, count: number) {
    this.#clock = clock
    this.#free = count
  }

  take(then: Then): void {
    if (this.#free > 0) {
      this.#free -= 1
      then()
    } else {
      this.waits += 1
      this.#queue.push(then)
    }
  }

  give(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#free += 1
  }

  use(ms: number, then: Then): void {
    this.take(() => {
      this.busyMs += ms
      this.#clock.after(ms, () => {
        this.give()
        then()
      })
    })
  }
}

// Writes the log: everybody who comes while it is being written waits for the next time, and shares it.
class Log {
  readonly #clock: Clock
  readonly #ms: number
  #waiting: Then[] = []
  #isBusy = false

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  sync(then: Then): void {
    this.#waiting.push(then)
    if (!this.#isBusy) this.#begin()
  }

  #begin(): void {
    const own = this.#waiting
    this.#waiting = []
    this.#isBusy = own.length > 0
    if (own.length === 0) return
    this.#clock.after(this.#ms, () => {
      for (const then of own) then()
      this.#begin()
    })
  }
}

const chainCount = 64
const recordDelayMs = 40

interface Prediction {
  rowsPerSecond: number
  inFlightMs: number
  transactionsPerRow: number
  databaseBusy: number
  chainWaitsPerRow: number
}

// A row asks for a quote, is armed in a transaction, is sent, and is written as made; then its batch records it. The transactions of
// a worker follow each other, and each has all rows that are ready.
export function simulate(costs: Costs, fleet: Fleet): Prediction {
  const clock = new Clock()
  const random = createRandom(1)
  const {machine, networkMs, latencyMs} = fleet
  const shared = machine.kind === 'one' ? new Turns(clock, machine.cores) : undefined
  const databaseCores = shared ?? new Turns(clock, machine.kind === 'many' ? machine.databaseCores : 1)
  const log = new Log(clock, costs.syncMs)
  const chains = Array.from({length: chainCount}, () => new Turns(clock, 1))
  const counts = Array.from({length: fleet.batches}, () => new Turns(clock, 1))
  const intervalMs = fleet.limitPerSecond === undefined ? 0 : 1000 / fleet.limitPerSecond
  let serviceFreeAt = 0
  let left = fleet.rows
  let [paid, transactions, inFlightMs] = [0, 0, 0]
  let endedAt = 0

  const callService = (then: Then) => {
    const startsAt = Math.max(clock.now, serviceFreeAt)
    serviceFreeAt = startsAt + intervalMs
    const answer = () => clock.after(latencyMs, then)
    clock.after(startsAt - clock.now, () => (shared ? shared.use(costs.serviceMs / 2, answer) : answer()))
  }

  // Locks are taken in the same order by everybody.
  const lockAll = (locks: readonly Turns[], then: Then) => {
    const [first, ...others] = locks
    if (first) first.take(() => lockAll(others, then))
    else then()
  }

  const writeTransaction = (
    cpu: (ms: number, then: Then) => void,
    rows: number,
    locks: readonly Turns[],
    then: Then,
  ) => {
    transactions += 1
    cpu(costs.transactionMs, () =>
      clock.after(networkMs, () =>
        // Half of its work is done before it takes the locks that others wait for.
        databaseCores.use(costs.databaseTransactionMs / 2, () =>
          lockAll(locks, () =>
            databaseCores.use(costs.databaseTransactionMs / 2 + (costs.databaseRowMs / 2) * rows, () =>
              log.sync(() => {
                for (const lock of locks) lock.give()
                then()
              }),
            ),
          ),
        ),
      ),
    )
  }

  const hosts: Turns[] = []
  for (let index = 0; index < fleet.workers; index++) {
    const host = machine.kind === 'one' ? 0 : Math.floor(index / machine.workersPerHost)
    const cores = shared ?? (hosts[host] ??= new Turns(clock, machine.kind === 'many' ? machine.coresPerHost : 1))
    const thread = new Turns(clock, 1)
    const cpu = (ms: number, then: Then) =>
      thread.take(() =>
        cores.use(ms, () => {
          thread.give()
          then()
        }),
      )
    const count = counts[index % counts.length]
    let waiting: Array<{chain: number; goOn: Then}> = []
    let made: number[] = []
    let unrecorded = 0
    let [isWriting, isRecording] = [false, false]

    const beginGroup = (then: Then = () => {}) => {
      if (isWriting || waiting.length + made.length === 0) return then()
      isWriting = true
      const [group, ended] = [waiting, made]
      ;[waiting, made] = [[], []]
      const own = [...new Set([...group.map(({chain}) => chain), ...ended])].toSorted((a, b) => a - b)
      const locks = own.flatMap((chain) => chains[chain] ?? [])
      writeTransaction(cpu, group.length + ended.length, locks, () => {
        isWriting = false
        for (const each of group) each.goOn()
        then()
        if (waiting.length > 0) beginGroup()
      })
    }

    const record = () => {
      if (isRecording) return
      isRecording = true
      clock.after(recordDelayMs, () =>
        beginGroup(() => {
          unrecorded = 0
          writeTransaction(cpu, 0, count ? [count] : [], () => {
            isRecording = false
            if (unrecorded > 0) record()
          })
        }),
      )
    }

    const payNext = () => {
      if (left === 0) return
      left -= 1
      const startedAt = clock.now
      const chain = Math.floor(random() * chainCount)
      const step = costs.rowMs / 4
      const isArmed = () =>
        cpu(step, () =>
          callService(() =>
            cpu(step, () => {
              made.push(chain)
              unrecorded += 1
              record()
              paid += 1
              inFlightMs += clock.now - startedAt
              endedAt = clock.now
              payNext()
            }),
          ),
        )
      cpu(step, () =>
        callService(() =>
          cpu(step, () => {
            waiting.push({chain, goOn: isArmed})
            beginGroup()
          }),
        ),
      )
    }
    for (let place = 0; place < fleet.places; place++) clock.after(random() * latencyMs, payNext)
  }

  clock.run()
  return {
    rowsPerSecond: (paid / endedAt) * 1000,
    inFlightMs: inFlightMs / paid,
    transactionsPerRow: transactions / paid,
    databaseBusy: databaseCores.busyMs / endedAt,
    chainWaitsPerRow: chains.reduce((sum, {waits}) => sum + waits, 0) / paid,
  }
}

// Of one worker with four places and a service that answers in 50 ms, on two cores of a Neoverse N1.
export const costs: Costs = {
  rowMs: 1.9,
  transactionMs: 2.7,
  databaseRowMs: 0.8,
  databaseTransactionMs: 2.2,
  syncMs: 1.2,
  serviceMs: 0.6,
}

// Rows a second between the first and the last one, and how long one was in flight: what the bench says below its rows.
export const measured = [
  {workers: 1, rowsPerSecond: 35.6, inFlightMs: 112},
  {workers: 2, rowsPerSecond: 70.4, inFlightMs: 113},
  {workers: 4, rowsPerSecond: 129.7, inFlightMs: 120},
] as const

export const predictMeasured = (workers: number): Prediction =>
  simulate(costs, {
    workers,
    places: 4,
    latencyMs: 50,
    rows: 1_000 * workers,
    machine: {kind: 'one', cores: 2},
    networkMs: 0,
    batches: 1,
  })

const round = (value: number, digits = 0) => value.toFixed(digits)

function printTable(heads: readonly string[], lines: ReadonlyArray<readonly string[]>): void {
  const rows = [heads, heads.map(() => '---'), ...lines]
  process.stdout.write(`${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n\n`)
}

// A host with two cores has two workers, and each worker four places. The database has cores of its own and is half a millisecond away.
function predict(workers: number, databaseCores: number, more: Partial<Fleet> = {}): Prediction {
  const machine = {kind: 'many', workersPerHost: 2, coresPerHost: 2, databaseCores} as const
  const places = more.places ?? 4
  const rows = Math.min(60_000, Math.max(2_000, 100 * workers * places))
  return simulate(costs, {workers, places, latencyMs: 50, rows, machine, networkMs: 0.5, batches: 1, ...more})
}

const describe = ({rowsPerSecond, inFlightMs, transactionsPerRow, databaseBusy, chainWaitsPerRow}: Prediction) => [
  round(rowsPerSecond),
  round(inFlightMs),
  round(transactionsPerRow, 2),
  round(databaseBusy, 1),
  round(chainWaitsPerRow, 2),
]
const described = [
  'rows/s',
  'in flight, ms',
  'transactions a row',
  'busy cores of PostgreSQL',
  'waits for a chain, a row',
]

function main(): void {
  printTable(
    ['workers', 'measured, rows/s', 'predicted', 'differs by', 'measured in flight, ms', 'predicted'],
    measured.map(({workers, rowsPerSecond, inFlightMs}) => {
      const found = predictMeasured(workers)
      const differs = (found.rowsPerSecond / rowsPerSecond - 1) * 100
      return [
        String(workers),
        round(rowsPerSecond),
        round(found.rowsPerSecond),
        `${round(differs)} %`,
        round(inFlightMs),
        round(found.inFlightMs),
      ]
    }),
  )
  for (const cores of [4, 16]) {
    process.stdout.write(`PostgreSQL with ${cores} cores\n\n`)
    printTable(
      ['workers', ...described],
      [1, 10, 100, 1_000].map((workers) => [String(workers), ...describe(predict(workers, cores))]),
    )
  }
  process.stdout.write('100 workers, PostgreSQL with 16 cores\n\n')
  const variants: Array<[string, Partial<Fleet>]> = [
    ['a service that takes 100 requests a second', {limitPerSecond: 100, rows: 4_000}],
    ['a service that takes 1,000 requests a second', {limitPerSecond: 1_000}],
    ['a service that answers in 500 ms', {latencyMs: 500}],
    ['16 places for each worker', {places: 16}],
    ['ten batches at the same time', {batches: 10}],
  ]
  printTable(
    ['with', ...described],
    variants.map(([name, more]) => [name, ...describe(predict(100, 16, more))]),
  )
}

if (import.meta.main) main()
