// Compares values as people expect: numbers and amounts by their exact size, times by their instant, the rest as text.
import {Big} from 'big.js'
import {toInstantMs} from '../../values/time.ts'
import {toText} from './view.ts'

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
