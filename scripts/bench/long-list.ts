// Rows for a long list of transactions as JSON lines: its time against a bare loop over the same pages.
import path from 'node:path'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {root} from '../surface.ts'
import {addTransactions} from './add-transactions.ts'
import {type Bench, type Comparator, type Row, takeTurns} from './row.ts'
import {runTimed} from './run-timed.ts'
import {type Server, bin, createEnv, start, startSandbox} from './sandbox.ts'

const usualRounds = 7
const pageSize = 100
const rows = 100_000

const here = (file: string) => path.join(root, 'scripts/bench', file)

const bareLoop: Comparator = {
  name: 'a loop that parses each page and writes its items',
  leavesOut: 'checks of shapes, of exact numbers and of repeated items; errors and retries; flags and profiles',
}

const startPages = () => start([process.execPath, here('page-service.ts'), String(rows / pageSize)])

const compare = ({folder, countRounds}: Bench, {url, apiKey = 'bench'}: Server) => {
  const env = {...createEnv(folder), SVC_BASE_URL: url, SVC_API_KEY: apiKey}
  const list = [process.execPath, bin, 'transactions', 'list', '--all', '-o', 'jsonl']
  const bare = [process.execPath, here('bare-reader.mjs'), url, apiKey]
  return takeTurns(
    countRounds(usualRounds),
    () => runTimed(list, env),
    () => runTimed(bare, env),
  )
}

// A sandbox with so many transactions, in a file.
async function startSeeded({folder}: Bench): Promise<Server> {
  const file = path.join(folder, 'transactions.sqlite')
  const sandbox = openSandbox({file})
  const {apiKey} = sandbox
  sandbox.close()
  addTransactions(file, rows)
  return {...(await startSandbox(bin, file)), apiKey}
}

const createRow = (name: string, title: string, startServer: (bench: Bench) => Promise<Server>): Row => ({
  name,
  title,
  unit: 'ms',
  comparator: bareLoop,
  bound: {atMost: 2},
  measure: async (bench) => {
    const server = await startServer(bench)
    try {
      return await compare(bench, server)
    } finally {
      server.process.kill()
    }
  },
})

export const longListRows: readonly Row[] = [
  createRow('long-list', '100,000 rows as JSON lines, ready pages', startPages),
  createRow('long-list-sandbox', 'the same from the sandbox', startSeeded),
]
