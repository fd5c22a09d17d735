// The first characters of ids, as many as tell them apart. Commands accept an id that is cut so.
import {prefixLengthMin} from './reference.ts'

// Ids of events, deliveries and endpoints have their kind in front.
export const cutId = (id: string, length: number) => id.slice(0, id.indexOf('_') + 1 + length)

export function findDistinctLength(ids: ReadonlySet<string>): number {
  const isAmbiguous = (length: number) => new Set([...ids].map((id) => cutId(id, length))).size < ids.size
  let length = prefixLengthMin
  while (isAmbiguous(length)) length++
  return length
}
