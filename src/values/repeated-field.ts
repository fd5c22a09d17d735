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
