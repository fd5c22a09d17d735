// Finds a column of a view by what a person calls it.
import {badUsage} from '../../errors.ts'
import type {Column, View} from './view.ts'

// The column of that name, short name or header, in upper or lower case. Throws if there is none.
export function findColumn<T>({columns, plural}: View<T>, name: string): Column<T> {
  const wanted = name.toLowerCase()
  const column =
    columns.find((c) => c.name.toLowerCase() === wanted || c.short === wanted) ??
    columns.find(({header}) => wanted !== '' && header.toLowerCase() === wanted)
  if (column) return column
  throw badUsage(
    `There is no column "${name}" for ${plural}`,
    `Known columns are ${columns.map((c) => c.name).join(', ')}`,
  )
}
