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

// The reviver costs time, so it runs only where such a number may be.
export function parseJson(text: string): unknown {
  return delicateNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}
