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

// Throws if walking the value could overflow the stack. Returns whether there is a number in it.
export function rejectDeepNesting(value: object, depth = 0): boolean {
  if (depth > depthMax) throw new NestingTooDeep(`more than ${depthMax} levels deep`)
  let isFound = false
  for (const inner of Object.values(value)) {
    if (typeof inner === 'number') isFound = true
    // Most values are texts, which are not worth a call.
    else if (typeof inner === 'object' && inner !== null && rejectDeepNesting(inner, depth + 1)) isFound = true
  }
  return isFound
}

// A number that a float may change: a fraction, an exponent, sixteen or more digits, or minus zero. Text may look like one, which
// costs time and nothing else.
const lossyNumber = /(?:^|[[,]|(?<!\d):)\s*(?:-0|-?\d+(?:\.\d|[eE]|(?<=\d{16})))/

function keepDigits(_key: string, value: unknown, context?: {source?: string}): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return String(value) === context.source ? value : JSON.rawJSON(context.source)
}

// Parsing with a reviver takes several times as long, so it happens only if such a number may be present. In most replies amounts are
// texts, and there are no numbers.
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return rejectDeepNesting([value]) && lossyNumber.test(text) ? JSON.parse(text, keepDigits) : value
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

// Finds the first field that occurs twice in one JSON object. JSON.parse silently keeps the last one, which could change the amount
// of a payment. The text must be valid JSON.
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
