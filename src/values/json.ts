// Parses JSON without changing numbers: those that a float would round keep their digits, through to the output.
declare global {
  interface JSON {
    rawJSON(text: string): {rawJSON: string}
    isRawJSON(value: unknown): value is {rawJSON: string}
  }
}

// Deeper than any real reply. Walking a deeper value would overflow the stack.
const depthMax = 1000

class NestingTooDeep extends SyntaxError {}

// Whether parsing failed because of the nesting depth, detected here or by the engine.
export const isNestedTooDeep = (error: unknown): boolean =>
  error instanceof NestingTooDeep || error instanceof RangeError

// Whether walking the value could overflow the stack.
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > depthMax) return true
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return inner.some((each) => isTooDeep(each, depth + 1))
}

// How often a number occurs under each key. Numbers in lists, or alone, have no key.
type Numbers = Map<string, number>
const noKey = ''

// Pages are long, so this visits every value only once and skips strings.
function countNumbers(container: object, numbers: Numbers, depth: number): void {
  if (depth > depthMax) throw new NestingTooDeep(`more than ${depthMax} levels deep`)
  if (Array.isArray(container)) {
    const values: readonly unknown[] = container
    for (const value of values) {
      if (typeof value === 'object' && value !== null) countNumbers(value, numbers, depth + 1)
      else if (typeof value === 'number') count(numbers, noKey)
    }
    return
  }
  for (const key in container) {
    const value = (container as Record<string, unknown>)[key]
    if (typeof value === 'object' && value !== null) countNumbers(value, numbers, depth + 1)
    else if (typeof value === 'number') count(numbers, key)
  }
}

const count = (numbers: Numbers, key: string) => numbers.set(key, (numbers.get(key) ?? 0) + 1)

// A whole number of at most fifteen digits, which a float represents exactly and prints the same way.
const safeInteger = /(?:0|-?[1-9]\d{0,14})(?=[,}\]\s])/y

// Each key costs one search of the text.
const keysSearchedMax = 16

// Whether every number in the text is a safe integer behind its key. Most pages have numbers under few keys, such as
// currencyDecimals, and searching for those keys is faster than scanning the whole text.
function areAllSafe(numbers: Numbers, text: string): boolean {
  if (numbers.size > keysSearchedMax) return false
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

// A number that a float may change: a fraction, an exponent, sixteen or more digits, or minus zero.
const lossyNumber = /(?:^|[:[,])\s*(?:-0|-?\d+(?:\.\d|[eE]|(?<=\d{16})))/

function keepDigits(_key: string, value: unknown, context?: {source?: string}): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return String(value) === context.source ? value : JSON.rawJSON(context.source)
}

// Parsing with a reviver takes several times as long, so it happens only if such a number may be present.
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const numbers: Numbers = new Map()
  countNumbers([value], numbers, 0)
  if (areAllSafe(numbers, text) || !lossyNumber.test(text)) return value
  return JSON.parse(text, keepDigits)
}

// Finds a field that occurs twice in one JSON object. JSON.parse silently keeps the last one, which could change the amount
// of a payment.
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

// Returns the name of the first such field. The text must be valid JSON.
export function findRepeatedField(text: string): string | undefined {
  // The fields of each open object, or undefined for an open list.
  const open: Array<Set<string> | undefined> = []
  let name: string | undefined
  for (const [found] of text.matchAll(token)) {
    if (found === '{') open.push(new Set())
    else if (found === '[') open.push(undefined)
    else if (found === '}' || found === ']') open.pop()
    else if (found.startsWith('"')) name = found
    else if (found === ':' && name !== undefined) {
      const field = JSON.parse(name) as string
      const fields = open.at(-1)
      if (fields?.has(field)) return field
      fields?.add(field)
    }
  }
  return undefined
}
