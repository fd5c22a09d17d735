// Asks a person to decide before a time is up: one key, while the clock runs down on standard error.
import process from 'node:process'
import {SvcError} from '../../errors.ts'
import {formatClock} from '../flags/durations.ts'
import {startLiveLine} from '../output/live-line.ts'
import {writeErr} from '../output/streams.ts'

type Decision = 'yes' | 'no' | 'late' | 'stopped'

const ctrlC = '\u0003'

const parseDecision = (keys: string): Decision => {
  if (keys.includes(ctrlC)) return 'stopped'
  return /^y(es)?[\r\n]*$/i.test(keys) ? 'yes' : 'no'
}

// The question stands on a line of its own, since the one that is rewritten has no room for a long address.
function askDecision(endMs: number, question: string): Promise<Decision> {
  const {stdin} = process
  writeErr(`${question}\n`)
  return new Promise((resolve) => {
    const line = startLiveLine(() => `y makes it, any other key leaves it. ${formatClock(endMs - Date.now())} left `)
    const end = (decision: Decision) => {
      clearTimeout(timer)
      stdin.off('data', onKeys).setRawMode(false).pause()
      line.end()
      resolve(decision)
    }
    const onKeys = (keys: Buffer) => end(parseDecision(keys.toString()))
    const timer = setTimeout(() => end('late'), Math.max(0, endMs - Date.now()))
    stdin.setRawMode(true).resume().on('data', onKeys)
  })
}

const notDecided = () =>
  new SvcError({
    error: 'NOT_DECIDED',
    kind: 'pending',
    message: 'The time was up before anything was decided, and no transaction was made',
    hint: 'Run the same command again for a new price',
  })

const stoppedByUser = () =>
  new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message: 'Stopped; no transaction was made'})

// Only y means yes. Every other key means no, since what follows cannot be taken back.
export async function confirmBefore(endMs: number, question: string): Promise<boolean> {
  const decision = await askDecision(endMs, question)
  if (decision === 'late') throw notDecided()
  if (decision === 'stopped') throw stoppedByUser()
  return decision === 'yes'
}
