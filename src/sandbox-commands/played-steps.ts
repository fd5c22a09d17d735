// The steps of a played scenario, as lines and as a table.
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import type {Result} from '../sandbox-results.ts'
import {createResultView} from './views.ts'

export type PlayedStep = Result<'PlayedStep'>

const numberWidth = 3
const whatWidth = 24
const timeWidth = '2026-03-02 09:00:00'.length
const resultWidthMin = 12
const separator = '  '

const toTime = (at: string) => at.replace('T', ' ').replace(/\.\d+Z$/, '')

const describeAction = ({action, subject}: PlayedStep) => (subject === undefined ? action : `${action} ${subject}`)

// The statuses and amounts. Ids are for scripts, which get them as JSON.
function describeResult({ok, note, result = {}}: PlayedStep): string {
  if (!ok) return 'failed'
  const {balances, error, ...fields} = result
  const amounts = Object.entries((balances ?? {}) as Record<string, string>).map(
    ([label, amount]) => `${amount} ${label}`,
  )
  const shown = Object.entries(fields)
    .filter(([name]) => !/Id$|^id$|Type$|At$/.test(name))
    .map(([, value]) => String(value))
  const refused = error === undefined ? [] : [`refused: ${error as string}`]
  return [...shown, ...amounts, ...refused, ...(note === undefined ? [] : [note])].join(', ')
}

// At a terminal, the line is not longer than the width.
export function renderStepLine(step: PlayedStep, painter: Painter, width?: number): string {
  const what = cleanText(describeAction(step)).padEnd(whatWidth)
  const before = numberWidth + timeWidth + what.length + 3 * separator.length
  const whole = cleanText(describeResult(step))
  const result = width === undefined ? whole : truncateToWidth(whole, Math.max(resultWidthMin, width - before))
  const parts = [
    String(step.step).padStart(numberWidth),
    painter.dim(toTime(step.at)),
    what,
    step.ok ? painter.status(result) : painter.alarm(result),
  ]
  return `${parts.join(separator).trimEnd()}\n`
}

export const playedStepView = createResultView('PlayedStep', 'step')
