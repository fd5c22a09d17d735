// Rows for a long list of transactions as JSON lines: its time against a bare loop over the same pages.
import {bin} from '../sandbox-server.ts'
import {runTimed} from './measure.ts'
import type {Bench, Row} from './row.ts'
import {createEnv, findScript, startSandbox, startService} from './stage.ts'

const rows = 100_000
const pageSize = 100

const createRow = (
  name: string,
  title: string,
  startServer: (bench: Bench) => Promise<{url: string; apiKey: string}>,
): Row => ({
  name,
  title,
  unit: 'ms',
  comparator: 'a loop that parses each page and writes its items',
  bound: {atMost: 2},
  rounds: 7,
  warmUps: 1,
  open: async (bench) => {
    const {url, apiKey} = await startServer(bench)
    const env = {...createEnv(bench.folder), SVC_BASE_URL: url, SVC_API_KEY: apiKey}
    const list = [process.execPath, bin, 'transactions', 'list', '--all', '-o', 'jsonl']
    const bare = [process.execPath, findScript('bare-reader.mjs'), url, apiKey]
    return {own: () => runTimed(list, env), base: () => runTimed(bare, env)}
  },
})

export const longListRows: readonly Row[] = [
  createRow('long-list', '100,000 rows as JSON lines, ready pages', (bench) =>
    startService(bench, '--pages', String(rows / pageSize)),
  ),
  createRow(
    'long-list-sandbox',
    'the same from the sandbox',
    async (bench) => (await startSandbox(bench, {transactions: rows})).server,
  ),
]
