// Reads, sets and removes what stands at a path of a body, such as kycData.documents[0].type.
import type {Body} from '../body/assignments.ts'

type Holder = Record<string, unknown>

const splitPath = (path: string): string[] => path.match(/[^.[\]]+/g) ?? []

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

export function getValue(body: Body, path: string): unknown {
  return splitPath(path).reduce<unknown>(
    (value, key) => (isHolder(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    body,
  )
}

// Every object and list on the way is copied, so that the body that was there before stays as it was.
export function withValue(body: Body, path: string, value: unknown): Body {
  const place = (holder: unknown, [key, ...rest]: string[]): unknown => {
    if (key === undefined) return value
    const copy = copyHolder(holder, key)
    copy[key] = place(copy[key], rest)
    return copy
  }
  return place(body, splitPath(path)) as Body
}

function copyHolder(holder: unknown, key: string): Holder {
  if (Array.isArray(holder)) return [...(holder as unknown[])] as unknown as Holder
  if (isHolder(holder)) return {...holder}
  return /^\d+$/.test(key) ? ([] as unknown as Holder) : {}
}

// What becomes empty by it goes as well, so that no body says `address: {}`.
export function withoutValue(body: Body, path: string): Body {
  const strip = (holder: unknown, [key, ...rest]: string[]): unknown => {
    if (!isHolder(holder) || key === undefined || !Object.hasOwn(holder, key)) return holder
    const inner = rest.length === 0 ? undefined : strip(holder[key], rest)
    const isEmpty = inner === undefined || (isHolder(inner) && Object.keys(inner).length === 0)
    if (Array.isArray(holder)) {
      return isEmpty ? holder.toSpliced(Number(key), 1) : holder.with(Number(key), inner)
    }
    const {[key]: _, ...others} = holder
    return isEmpty ? others : {...holder, [key]: inner}
  }
  return strip(body, splitPath(path)) as Body
}
