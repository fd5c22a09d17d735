// Sorts a list by a column, for --sort. The service cannot sort, so the whole list is read first.
import {Big} from 'big.js'
import type {WalkedPage} from '../../client/paging.ts'
import {badUsage} from '../../errors.ts'
import {toInstantMs} from '../../values/time.ts'
import {findColumn} from './print.ts'
import {startProgress} from './streams.ts'
import type {ListResult} from './result.ts'
import {type Column, type View, toText} from './view.ts'

export interface SortOrder {
  column: Column<unknown>
  isDescending: boolean
}

const suffix = /:(asc|desc)$/i

// `COLUMN`, `-COLUMN`, `COLUMN:desc` or `COLUMN:asc`. Throws if the view has no such column.
export function parseSort(text: string, view: View<unknown>): SortOrder {
  const [, direction] = suffix.exec(text) ?? []
  const name = text.replace(suffix, '')
  const isNegated = name.startsWith('-')
  if (isNegated && direction !== undefined) {
    throw badUsage(`--sort ${text} names two directions`, 'Write -COLUMN or COLUMN:desc; nothing was sent')
  }
  return {
    column: findColumn(view, isNegated ? name.slice(1) : name),
    isDescending: isNegated || direction?.toLowerCase() === 'desc',
  }
}

// Items without a value come last, in both directions. Equal ones keep the order of the service.
export function sortItems<T>(items: readonly T[], {column, isDescending}: SortOrder): T[] {
  const rows = items.map((item) => ({item, value: column.value(item)}))
  const isEmpty = ({value}: {value: unknown}) => toText(value) === ''
  const sorted = rows
    .filter((row) => !isEmpty(row))
    .toSorted((a, b) => (isDescending ? compareValues(b.value, a.value) : compareValues(a.value, b.value)))
  return [...sorted, ...rows.filter(isEmpty)].map(({item}) => item)
}

// A list that reads all of `list` when it is printed, and has its items in order as a single page.
export function sortList(
  {prepare, ...list}: ListResult & {prepare?: (items: readonly unknown[]) => Promise<void>},
  order: SortOrder,
  limit: number | undefined,
  notice: (text: string) => void,
): ListResult {
  async function* pages(): AsyncGenerator<WalkedPage> {
    const items: unknown[] = []
    const progress = startProgress()
    let lastPage: WalkedPage | undefined
    let pageCount = 0
    try {
      for await (lastPage of list.pages) {
        pageCount++
        for (const item of lastPage.items) items.push(item)
        progress.report(`${items.length} ${list.view.plural} read, to be sorted…`)
      }
    } finally {
      progress.end()
    }
    if (!lastPage) return
    if (pageCount > 1) {
      notice(
        `Read all ${items.length} ${list.view.plural} in ${pageCount} pages to sort them: the service cannot sort.`,
      )
    }
    await prepare?.(items)
    const shown = sortItems(items, order).slice(0, limit)
    if (shown.length < items.length)
      notice(`${shown.length} of ${items.length} ${list.view.plural} shown; leave out --limit to see all.`)
    yield {...lastPage, items: shown}
  }
  return {...list, pages: pages()}
}

// Compares values as people expect: numbers and amounts by their exact size, times by their instant, the rest as text.
const decimal = /^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d{1,4})?$/i

export const isDecimal = (text: string) => decimal.test(text)

// Exact, however many digits there are.
export const compareDecimals = (a: string, b: string): number => new Big(a.replace('+', '')).cmp(b.replace('+', ''))

// A number, or an amount as tables show it: 120.50 USD.
const amount = /^([-+]?\d+(?:\.\d+)?(?:e[-+]?\d{1,4})?)(?: ([A-Za-z][\w.-]*))?$/i

const day = /^\d{4}-\d\d-\d\d/
const readInstant = (text: string) => (day.test(text) ? toInstantMs(text) : undefined)

// The same order on every machine, whatever its language is.
const collator = new Intl.Collator('en', {numeric: true})

// Values without text come last, in both directions, so they are not compared here.
export function compareValues(a: unknown, b: unknown): number {
  const [left, right] = [toText(a), toText(b)]
  const [leftAmount, rightAmount] = [amount.exec(left), amount.exec(right)]
  if (leftAmount && rightAmount) {
    const bySize = compareDecimals(leftAmount[1] ?? '', rightAmount[1] ?? '')
    return bySize === 0 ? collator.compare(leftAmount[2] ?? '', rightAmount[2] ?? '') : bySize
  }
  // Numbers come before text.
  if (leftAmount || rightAmount) return leftAmount ? -1 : 1
  const [leftMs, rightMs] = [readInstant(left), readInstant(right)]
  if (leftMs !== undefined && rightMs !== undefined && leftMs !== rightMs) return leftMs - rightMs
  return collator.compare(left, right)
}
