// JSON as the service wrote it: numbers that a float would change keep their very digits, through to the output.

declare global {
  interface JSON {
    rawJSON(text: string): {rawJSON: string}
    isRawJSON(value: unknown): value is {rawJSON: string}
  }
}

// Deeper nesting than any reply has would overflow the stack of whoever walks it.
const depthMax = 1000

class NestingTooDeep extends SyntaxError {}

// Whether text was refused for its depth, by us or by the engine itself, and not for what stands in it.
export const isNestedTooDeep = (error: unknown): boolean =>
  error instanceof NestingTooDeep || error instanceof RangeError

// How often a number stands under each key. Those in lists, or alone, stand under none.
type Numbers = Map<string, number>
const noKey = ''

// Pages are long, so this looks at every value once, and at text not at all.
function countNumbers(holder: object, numbers: Numbers, depth: number): void {
  if (depth > depthMax) throw new NestingTooDeep(`more than ${depthMax} levels deep`)
  if (Array.isArray(holder)) {
    for (const value of holder as unknown[]) {
      if (typeof value === 'object' && value !== null) countNumbers(value, numbers, depth + 1)
      else if (typeof value === 'number') count(numbers, noKey)
    }
    return
  }
  for (const key in holder) {
    const value = (holder as Record<string, unknown>)[key]
    if (typeof value === 'object' && value !== null) countNumbers(value, numbers, depth + 1)
    else if (typeof value === 'number') count(numbers, key)
  }
}

const count = (numbers: Numbers, key: string) => numbers.set(key, (numbers.get(key) ?? 0) + 1)

// A whole number of at most fifteen digits, in the one way in which a float writes it.
const safeInteger = /(?:0|-?[1-9]\d{0,14})(?=[,}\]\s])/y

// Whether all these numbers are found in the text, behind their keys and plain. Most pages have few kinds of numbers, such
// as currencyDecimals, and looking for them by name is quicker than looking through everything.
function areAllPlain(numbers: Numbers, text: string): boolean {
  for (const [key, expected] of numbers) {
    const named = `${JSON.stringify(key)}:`
    let found = 0
    for (let at = text.indexOf(named); at !== -1; at = text.indexOf(named, at + named.length)) {
      safeInteger.lastIndex = at + named.length
      if (safeInteger.test(text)) found++
    }
    if (found !== expected) return false
  }
  return true
}

// A number token that may not survive as a float: a fraction, an exponent, sixteen digits and more, or a minus zero.
const lossyNumber = /(?:^|[:[,])\s*(?:-0|-?\d+(?:\.\d|[eE]|(?<=\d{16})))/

function keepDigits(_key: string, value: unknown, context?: {source?: string}): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return String(value) === context.source ? value : JSON.rawJSON(context.source)
}

// The reviver takes several times as long as reading alone, so it runs only where such a number may be.
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const numbers: Numbers = new Map()
  countNumbers([value], numbers, 0)
  if (areAllPlain(numbers, text) || !lossyNumber.test(text)) return value
  return JSON.parse(text, keepDigits)
}
