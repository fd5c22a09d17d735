// The views of schedules and of their slots.
import type {View} from '../../cli/output/view.ts'
import type {Run, ScheduleSummary} from './runs.ts'

export const scheduleView: View<ScheduleSummary> = {
  singular: 'schedule',
  plural: 'schedules',
  columns: [
    {name: 'name', header: 'NAME', value: ({name}) => name, rank: 0, widthGood: 24, widthMin: 10},
    {name: 'cron', header: 'CRON', value: ({cron}) => cron, rank: 1},
    {name: 'zone', header: 'ZONE', value: ({zone}) => zone, rank: 3},
    {name: 'pays', header: 'PAYS', value: ({pays}) => pays, rank: 2, widthGood: 30, widthMin: 12},
    {
      name: 'nextSlot',
      short: 'next',
      header: 'NEXT',
      value: ({nextSlot, paused}) => nextSlot ?? (paused ? 'paused' : undefined),
      rank: 0,
    },
    {name: 'lastSlot', short: 'last', header: 'LAST', value: ({lastRun}) => lastRun?.slot, rank: 4},
    {name: 'lastState', header: 'OUTCOME', value: ({lastRun}) => lastRun?.state, rank: 1, colour: 'status'},
    {name: 'missed', header: 'MISSED', value: ({missed}) => missed, rank: 5},
    {name: 'kind', header: 'KIND', value: ({kind}) => kind, rank: 6, onRequest: true},
    {name: 'key', header: 'KEY', value: ({key}) => key, rank: 6, onRequest: true},
    {name: 'file', header: 'FILE', value: ({file}) => file, rank: 6, onRequest: true},
    {name: 'rows', header: 'ROWS', value: ({rows}) => rows, rank: 6, align: 'right', onRequest: true},
    {name: 'paused', header: 'PAUSED', value: ({paused}) => paused, rank: 6, onRequest: true},
    {
      name: 'allowDuplicates',
      header: 'DUPLICATES',
      value: ({allowDuplicates}) => allowDuplicates,
      rank: 6,
      onRequest: true,
    },
    {name: 'createdAt', header: 'CREATED', value: ({createdAt}) => createdAt, rank: 6, onRequest: true},
    {name: 'updatedAt', header: 'UPDATED', value: ({updatedAt}) => updatedAt, rank: 6, onRequest: true},
  ],
  covers: ['lastRun', 'sums'],
}

const namedMax = 5

// Tables have no room for what is to be done about a slot.
function listRemarks(runs: readonly Run[]): string[] {
  const notable = runs.filter(({state, next, reason}) => next !== undefined || (reason && state !== 'SKIPPED'))
  const lines = notable.slice(0, namedMax).map(({schedule, slot, reason, next}) => {
    const why = reason === undefined ? '' : `: ${reason}`
    return `${schedule} ${slot}${why}${next === undefined ? '' : `; ${next}`}`
  })
  const more = notable.length - lines.length
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])]
}

export const runView: View<Run> = {
  singular: 'slot',
  plural: 'slots',
  columns: [
    {name: 'schedule', header: 'SCHEDULE', value: ({schedule}) => schedule, rank: 0, widthGood: 24, widthMin: 10},
    {name: 'slot', header: 'SLOT', value: ({slot}) => slot, rank: 0},
    {name: 'state', header: 'STATE', value: ({state}) => state, rank: 0, colour: 'status'},
    {name: 'decidedAt', header: 'RAN', value: ({decidedAt}) => decidedAt, rank: 3},
    {name: 'by', header: 'BY', value: ({by}) => by, rank: 5, widthGood: 24, widthMin: 10},
    {
      name: 'made',
      header: 'MADE',
      value: ({made}) => made,
      format: (_, {made, rows}) => (rows === undefined ? undefined : `${made} of ${rows}`),
      rank: 2,
    },
    {name: 'batch', header: 'BATCH', value: ({batch}) => batch, rank: 1},
    {name: 'transaction', header: 'TRANSACTION', value: ({transaction}) => transaction, rank: 4, isId: true},
    {name: 'key', header: 'KEY', value: ({key}) => key, rank: 6, onRequest: true},
    {name: 'rows', header: 'ROWS', value: ({rows}) => rows, rank: 6, align: 'right', onRequest: true},
    {name: 'waiting', header: 'WAITING', value: ({waiting}) => waiting, rank: 6, align: 'right', onRequest: true},
    {name: 'unknown', header: 'UNKNOWN', value: ({unknown}) => unknown, rank: 6, align: 'right', onRequest: true},
    {name: 'failed', header: 'FAILED', value: ({failed}) => failed, rank: 6, align: 'right', onRequest: true},
    {name: 'endedAt', header: 'ENDED', value: ({endedAt}) => endedAt, rank: 6, onRequest: true},
    {name: 'skippedBecause', header: 'SKIPPED', value: ({skippedBecause}) => skippedBecause, rank: 6, onRequest: true},
    {name: 'reason', header: 'REASON', value: ({reason}) => reason, rank: 6, onRequest: true},
    {name: 'next', header: 'NEXT', value: ({next}) => next, rank: 6, onRequest: true},
  ],
  remarks: listRemarks,
}
