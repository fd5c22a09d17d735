// Running sums of what payments have, or may have, spent, for each service, currency and day. They
// are changed with the payments, so that a daily limit costs the same whatever was paid that day.
// Each chain has sums of its own, which its lock guards: payments of other chains do not wait for
// them.
import {type SpendingQuery, type SpentSum, addSpent, nothingSpent, toDay} from '../../controls/check-spending.ts'
import {spendingStates} from '../protocol/payment.ts'
import type {PickChain, RowOf, Spender} from './tables.ts'

export type SpendingRow = RowOf<'spending'>

// Where an amount is added.
export type SpendingPlace = Pick<SpendingRow, 'serviceId' | 'currency' | 'day' | 'chain'>

type SpendingDay = Omit<SpendingPlace, 'chain'>

const nameDay = ({serviceId, currency, day}: SpendingDay) => JSON.stringify([serviceId, currency, day])
const nameSum = ({serviceId, currency, day, chain}: SpendingPlace) => JSON.stringify([serviceId, currency, day, chain])

export const isSpending = <Row extends Spender>(row: Row): row is Row & {spentAt: number} =>
  row.spentAt !== null && spendingStates.some((state) => state === row.state)

export function findSpendingPlace(row: Spender, pickChain: PickChain): SpendingPlace | undefined {
  if (!isSpending(row)) return undefined
  const {serviceId, currency, spentAt} = row
  return {serviceId, currency, day: toDay(spentAt), chain: pickChain(row)}
}

// An amount in a currency that is not known could be one in any of them.
const getSpentAmount = ({currency, amount}: Spender) => (currency === '' ? '' : amount)

function addSums(one: SpentSum, other: SpentSum): SpentSum {
  const {amount, unknown} = addSpent(one, other.amount)
  return {amount, unknown: unknown + other.unknown}
}

// The sums that were read for a group of writes, and that the writes change.
export class SpendingSums {
  readonly #pickChain: PickChain
  readonly #rows: Map<string, SpendingRow>
  readonly #changed = new Set<string>()
  // The sums of all chains together.
  readonly #days = new Map<string, SpendingDay & SpentSum>()

  constructor(rows: readonly SpendingRow[], pickChain: PickChain) {
    this.#pickChain = pickChain
    this.#rows = new Map(rows.map((row) => [nameSum(row), row]))
    for (const row of this.#rows.values()) {
      const day = this.#getDay(row)
      this.#days.set(nameDay(row), {...day, ...addSums(day, row)})
    }
  }

  #getDay({serviceId, currency, day}: SpendingDay): SpendingDay & SpentSum {
    const place = {serviceId, currency, day}
    return this.#days.get(nameDay(place)) ?? {...place, ...nothingSpent}
  }

  // Takes away what the payment has spent before, and adds what it has spent now.
  change(before: Spender | undefined, after: Spender): void {
    const [from, to] = [before && findSpendingPlace(before, this.#pickChain), findSpendingPlace(after, this.#pickChain)]
    const isSamePlace = from && to && nameSum(from) === nameSum(to)
    if (isSamePlace && before?.amount === after.amount) return
    if (before && from) this.#add(from, getSpentAmount(before), -1)
    if (to) this.#add(to, getSpentAmount(after), 1)
  }

  #add(place: SpendingPlace, amount: string, sign: 1 | -1): void {
    const name = nameSum(place)
    const row = this.#rows.get(name) ?? {...place, ...nothingSpent}
    this.#rows.set(name, {...row, ...addSpent(row, amount, sign)})
    this.#changed.add(name)

    const day = this.#getDay(place)
    this.#days.set(nameDay(place), {...day, ...addSpent(day, amount, sign)})
  }

  // The sum that all payments but this one have spent.
  addUp(serviceId: string, {currency, day}: SpendingQuery, except: Spender | undefined): SpentSum {
    const counts = (place: SpendingDay) =>
      place.serviceId === serviceId &&
      place.day >= day &&
      (place.currency === '' || place.currency === currency.toUpperCase())

    const sum = [...this.#days.values()].filter(counts).reduce(addSums, nothingSpent)
    const own = except && findSpendingPlace(except, this.#pickChain)
    return except && own && counts(own) ? addSpent(sum, getSpentAmount(except), -1) : sum
  }

  listChanged(): SpendingRow[] {
    return [...this.#rows].flatMap(([name, row]) => (this.#changed.has(name) ? [row] : []))
  }

  // A sum that differs from what is stored, of either side. A sum of nothing need not be stored.
  findDifference(stored: readonly SpendingRow[]): SpendingRow | undefined {
    const known = new Map(stored.map((row) => [nameSum(row), row]))
    const all = new Map([...known, ...this.#rows])
    return [...all.values()].find((row) => {
      const [own, other] = [this.#rows, known].map((rows) => rows.get(nameSum(row)) ?? nothingSpent)
      return own?.amount !== other?.amount || own?.unknown !== other?.unknown
    })
  }
}
