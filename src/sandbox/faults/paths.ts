// Which requests a fault is for: a method, and a path in the contract's own way of writing it, or with * for anything.

const special = /[.*+?^${}()|[\]\\]/g

// {customerId} stands for one piece of a path, * for any number of characters.
const patternOf = (path: string) =>
  path
    .split(/(\{\w+\}|\*)/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith('{') ? '[^/]+' : part.replace(special, String.raw`\$&`)
    })
    .join('')

const known = new Map<string, RegExp>()

function compiled(path: string): RegExp {
  const pattern = known.get(path) ?? new RegExp(`^${patternOf(path)}$`)
  known.set(path, pattern)
  return pattern
}

export const concerns = (fault: {method: string; path: string}, method: string, path: string) =>
  (fault.method === '*' || fault.method === method) && compiled(fault.path).test(path)
