// Matches requests by method and path. Paths are written as in the contract, with * for anything.

const specialCharacters = /[.*+?^${}()|[\]\\]/g

// {customerId} matches one segment of a path, * any number of characters.
const toPattern = (path: string) =>
  path
    .split(/(\{\w+\}|\*)/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith('{') ? '[^/]+' : part.replace(specialCharacters, String.raw`\$&`)
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
