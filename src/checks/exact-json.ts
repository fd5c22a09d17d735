// JSON as the service wrote it: numbers that a float would change keep their very digits, through to the output.

// A number token that may not survive as a float: a fraction, an exponent, sixteen digits and more, or a minus zero.
const delicateNumber = /(?:^|[:[,])\s*(?:-0|-?\d+(?:\.\d|[eE]|(?<=\d{16})))/

function keepDigits(_key: string, value: unknown, context?: {source?: string}): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return String(value) === context.source ? value : JSON.rawJSON(context.source)
}

declare global {
  interface JSON {
    rawJSON(text: string): {rawJSON: string}
    isRawJSON(value: unknown): value is {rawJSON: string}
  }
}

// Deeper nesting than any reply has would overflow the stack of whoever walks it.
const depthMax = 1000

const [quote, backslash] = [0x22, 0x5c]
const openings = new Set([0x5b, 0x7b])
const closings = new Set([0x5d, 0x7d])

function isTooDeep(text: string): boolean {
  if (text.length < 2 * depthMax) return false
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length && depth <= depthMax; index++) {
    const code = text.charCodeAt(index)
    if (isInString && code === backslash) index++
    else if (code === quote) isInString = !isInString
    else if (isInString) continue
    else if (openings.has(code)) depth++
    else if (closings.has(code)) depth--
  }
  return depth > depthMax
}

// The reviver costs time, so it runs only where such a number may be.
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`more than ${depthMax} levels deep`)
  return delicateNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}
