// Asks for a confirmation by one key before a deadline, with a countdown on standard error.
import process from 'node:process'
import {SvcError} from '../../errors.ts'
import {formatClock} from '../../values/time.ts'
import {startLiveLine} from '../output/live-line.ts'
import {writeErrLines} from '../output/streams.ts'

type Decision = 'yes' | 'no' | 'timeout' | 'interrupt'

const ctrlC = '\u0003'

const parseDecision = (keys: string): Decision => {
  if (keys.includes(ctrlC)) return 'interrupt'
  return /^y(es)?[\r\n]*$/i.test(keys) ? 'yes' : 'no'
}

// The question has its own line, because the countdown line is redrawn and too short for a long address.
function askDecision(endMs: number, question: string): Promise<Decision> {
  const {stdin} = process
  writeErrLines([question])
  return new Promise((resolve) => {
    // From here on Ctrl-C is a key, so this comes before the line that invites a key.
    stdin.setRawMode(true).resume()
    const line = startLiveLine(() => `y confirms, any other key cancels. ${formatClock(endMs - Date.now())} left `)
    const end = (decision: Decision) => {
      clearTimeout(timer)
      stdin.off('data', onKeys).setRawMode(false).pause()
      line.end()
      resolve(decision)
    }
    const onKeys = (keys: Buffer) => end(parseDecision(keys.toString()))
    const timer = setTimeout(() => end('timeout'), Math.max(0, endMs - Date.now()))
    stdin.on('data', onKeys)
  })
}

const notDecided = () =>
  new SvcError({
    error: 'NOT_DECIDED',
    kind: 'pending',
    message: 'No decision was made in time, so no transaction was created',
    hint: 'Run the same command again for a new price',
  })

const stoppedByUser = () =>
  new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message: 'Stopped; no transaction was created'})

// Every key but y means no, because the action cannot be undone.
export async function confirmBefore(endMs: number, question: string): Promise<boolean> {
  const decision = await askDecision(endMs, question)
  if (decision === 'timeout') throw notDecided()
  if (decision === 'interrupt') throw stoppedByUser()
  return decision === 'yes'
}
