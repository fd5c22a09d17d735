// Finds a field that stands twice in one object of JSON. JSON.parse takes the last of them without a word, and with amounts
// that is the difference between one payment and another.

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

// The name of the first such field. The text must be JSON already.
export function findRepeatedField(text: string): string | undefined {
  // The fields of every object that is open; a list has none.
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
