// Reads, sets and removes a value at a path of a body, such as kycData.documents[0].type.
import {isContainer, isRecord, splitPath} from './records.ts'

export type Body = Record<string, unknown>

export const isAtOrBelow = (path: string, ancestor: string) =>
  path === ancestor || path.startsWith(`${ancestor}.`) || path.startsWith(`${ancestor}[`)

export function getValue(body: unknown, path: string): unknown {
  return splitPath(path).reduce<unknown>(
    (value, key) => (isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    body,
  )
}

// Returns a copy of the body with the value at the path. Missing objects and lists on the way are created.
export function withValue(body: Body, path: string, value: unknown): Body {
  const set = (container: unknown, [key, ...rest]: string[]): unknown => {
    if (key === undefined) return value
    const copy = copyContainer(container, key)
    if (isContainer(copy)) copy[key] = set(copy[key], rest)
    return copy
  }
  const [first = '', ...rest] = splitPath(path)
  return {...body, [first]: set(body[first], rest)}
}

function copyContainer(container: unknown, key: string): unknown {
  if (Array.isArray(container)) return container.slice()
  if (isContainer(container)) return {...container}
  return /^\d+$/.test(key) ? [] : {}
}

// Returns a copy of the body without the value at the path. Objects and lists that become empty are removed as well.
export function withoutValue(body: Body, path: string): Body {
  const remove = (container: unknown, [key, ...rest]: string[]): unknown => {
    if (!isContainer(container) || key === undefined || !Object.hasOwn(container, key)) return container
    const inner = rest.length === 0 ? undefined : remove(container[key], rest)
    const isEmpty = inner === undefined || (isContainer(inner) && Object.keys(inner).length === 0)
    if (Array.isArray(container)) {
      return isEmpty ? container.toSpliced(Number(key), 1) : container.with(Number(key), inner)
    }
    const {[key]: _, ...others} = container
    return isEmpty ? others : {...container, [key]: inner}
  }
  const left = remove(body, splitPath(path))
  return isRecord(left) ? left : {}
}
