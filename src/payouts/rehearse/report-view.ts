// How the report of a rehearsal is shown.
import {formatDuration} from '../../values/time.ts'
import type {View} from '../../cli/output/view.ts'
import type {RehearsalReport} from './rehearse-file.ts'

export interface ShownReport extends RehearsalReport {
  verdict: 'SAFE' | 'UNSAFE'
  like?: string
}

const unpaidShownMax = 10

export const rehearsalView: View<ShownReport> = {
  singular: 'rehearsal',
  plural: 'rehearsals',
  columns: [
    {name: 'verdict', header: 'VERDICT', value: (r) => r.verdict, rank: 0, colour: 'status'},
    {name: 'seed', header: 'SEED', value: (r) => r.seed, rank: 0},
    {name: 'rows', header: 'ROWS', value: (r) => r.rows, rank: 0},
    {name: 'paid', header: 'PAID ONCE', value: (r) => r.paid, rank: 0},
    {
      name: 'unpaid',
      header: 'NOT PAID',
      value: (r) => r.unpaid,
      format: (_, {unpaid}) =>
        unpaid.slice(0, unpaidShownMax).map(({key, state, reason}) => `${key} ${state}${reason ? `: ${reason}` : ''}`),
      rank: 0,
    },
    {name: 'wrong', header: 'WRONG', value: (r) => r.wrong, rank: 0},
    {
      name: 'kills',
      header: 'KILLS',
      value: (r) => r.kills,
      format: (kills, {killsAtWork}) => `${String(kills)}, ${killsAtWork} of them while it paid`,
      rank: 0,
    },
    {name: 'killsAtWork', header: 'KILLS AT WORK', value: (r) => r.killsAtWork, rank: 1, isPartOfAnother: true},
    {name: 'runs', header: 'RUNS', value: (r) => r.runs, rank: 0},
    {name: 'rounds', header: 'ROUNDS', value: (r) => r.rounds, rank: 0},
    {name: 'clockJumps', header: 'CLOCK JUMPS', value: (r) => r.clockJumps, rank: 0},
    {
      name: 'standIns',
      header: 'INVENTED',
      value: (r) => r.standIns,
      format: (_, {standIns}) => `${standIns.customers} customers, ${standIns.accounts} accounts`,
      rank: 0,
    },
    {name: 'like', header: 'LIKE', value: (r) => r.like, rank: 0},
    {
      name: 'seconds',
      header: 'TOOK',
      value: (r) => r.seconds,
      format: (seconds) => formatDuration(Number(seconds) * 1000),
      rank: 0,
    },
  ],
}
