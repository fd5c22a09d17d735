// The child process of the tests of archives: prunes a journal, and kills itself at a given step.
import {type ArchiveStep, archiveHistory} from '../../../src/payments/audit/archive-journal.ts'

export interface ArchiveOrder {
  address: string
  file: string
  beforeMs: number
  crashAt?: ArchiveStep | undefined
}

const {address, file, beforeMs, crashAt} = JSON.parse(process.argv[2] ?? '{}') as ArchiveOrder

await archiveHistory(
  {text: address},
  {
    file,
    svc: 'test',
    beforeMs,
    pruning: {confirm: async () => true},
    onStep: (step) => {
      process.stdout.write(`${step}\n`)
      if (step === crashAt) process.kill(process.pid, 'SIGKILL')
    },
  },
)
