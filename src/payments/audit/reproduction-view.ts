// How the steps of a reproduction are shown.
import type {View} from '../../cli/output/view.ts'
import type {ReproducedStep} from './script.ts'

const timeLength = 'HH:MM:SS.mmm'.length
const dateLength = 'YYYY-MM-DDT'.length

const formatTime = (at: unknown) => String(at).slice(dateLength, dateLength + timeLength)

export const reproductionView: View<ReproducedStep> = {
  singular: 'step',
  plural: 'steps',
  columns: [
    {name: 'step', header: 'STEP', value: (s) => s.step, rank: 0, align: 'right'},
    {name: 'at', header: 'AT (UTC)', value: (s) => s.at, rank: 1},
    {
      name: 'serviceTime',
      short: 'service',
      header: 'SERVICE CLOCK',
      value: (s) => s.serviceTime,
      format: formatTime,
      rank: 3,
    },
    {name: 'what', header: 'JOURNAL', value: (s) => s.what, rank: 0},
    {name: 'state', header: 'STATE', value: (s) => s.state, rank: 2, colour: 'status'},
    {
      name: 'events',
      header: 'WHAT HAPPENED',
      value: (s) => s.events,
      format: (_, {events, reason}) => [...events, ...(reason ? [reason] : [])].join('; '),
      rank: 0,
      wraps: true,
      widthMin: 24,
    },
    {name: 'reason', header: 'REASON', value: (s) => s.reason, rank: 4, onRequest: true},
  ],
}

// One step for a person who goes through them.
export function describeStep({step, at, serviceTime, what, state, reason, events}: ReproducedStep, total: number) {
  return [
    ...events.map((event) => `     ${event}`),
    `${String(step).padStart(3)}/${total}  ${what}  ${at.slice(0, dateLength - 1)} ${formatTime(at)} UTC, service ${formatTime(serviceTime)}, the payment is ${state}`,
    ...(reason ? [`     ${reason}`] : []),
  ]
}
