// The row for the tests themselves.
import {root} from '../surface.ts'
import type {Row} from './row.ts'
import {runTimed} from './run-timed.ts'

export const suiteRow: Row = {
  name: 'suite',
  isLong: true,
  title: 'npm test, on two cores',
  unit: 's',
  bound: {atMost: 180},
  measure: async () => {
    const {ms} = await runTimed(['npm', '--prefix', root, 'test'])
    return {rounds: [{own: {value: ms / 1000}}]}
  },
}
