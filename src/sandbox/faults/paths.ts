// Which requests a fault is for: a method, and a path in the contract's own way of writing it, or with * for anything.

const special = /[.*+?^${}()|[\]\\]/g

// {customerId} stands for one piece of a path, * for any number of characters.
const toPattern = (path: string) =>
  path
    .split(/(\{\w+\}|\*)/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith('{') ? '[^/]+' : part.replace(special, String.raw`\$&`)
    })
    .join('')

const patternCache = new Map<string, RegExp>()

function compilePattern(path: string): RegExp {
  const pattern = patternCache.get(path) ?? new RegExp(`^${toPattern(path)}$`)
  patternCache.set(path, pattern)
  return pattern
}

export const matchesRequest = (fault: {method: string; path: string}, method: string, path: string) =>
  (fault.method === '*' || fault.method === method) && compilePattern(fault.path).test(path)
