// Says in words what a schedule pays at each slot.
import type {ScheduleTerms} from './schedule.ts'

type Pays = Pick<ScheduleTerms, 'kind' | 'file' | 'rowCount' | 'sums'>

const describeSums = ({sums}: Pays) => sums.map(({amount, currency}) => `${amount} ${currency}`).join(', ')

export function describePays(pays: Pays): string {
  const {kind, file, rowCount} = pays
  if (kind === 'pay') return `${describeSums(pays)}${file === undefined ? '' : ` (${file})`}`
  return `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}, ${describeSums(pays)} (${file ?? ''})`
}
