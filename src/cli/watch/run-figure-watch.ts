// Runs the watch of a figure for a command: its output, its end, and its error.
import {badUsage} from '../../errors.ts'
import type {Format} from '../output/print.ts'
import {canShowLiveLine} from '../output/streams.ts'
import {getTraits} from '../output/outputs.ts'
import {waitForStopSignal} from '../stop-signal.ts'
import {figureIntervalDefaultMs} from '../flags/watch-figure-flags.ts'
import {type FigureOutput, type FigureTarget, watchFigure} from './watch-figure.ts'

export interface FigureFlags {
  once: boolean
  interval?: number | undefined
}

interface FigureSettings extends FigureFlags {
  timeout?: number | undefined
  quiet?: boolean | undefined
}

interface CommandOutput extends Pick<FigureOutput, 'notice' | 'alert'> {
  format: Format
}

// A single read ends on a signal as any other command does.
export async function runFigureWatch(
  target: FigureTarget,
  {once, interval = figureIntervalDefaultMs, timeout, quiet: isQuiet = false}: FigureSettings,
  {format, notice, alert}: CommandOutput,
): Promise<void> {
  if (format === 'csv' || format === 'yaml') {
    throw badUsage(`Changes cannot be printed as ${format}`, 'Use -o jsonl')
  }
  const isLive = format === 'table' && !once && !isQuiet && canShowLiveLine() && getTraits('stdout').isTTY === true
  const stopped = once ? new Promise<void>(() => {}) : waitForStopSignal()
  const failure = await watchFigure(
    target,
    {intervalMs: interval, isOnce: once, timeoutMs: timeout, stopped},
    {isJson: format !== 'table', isLive, isQuiet, notice, alert},
  )
  if (failure) throw failure
}
