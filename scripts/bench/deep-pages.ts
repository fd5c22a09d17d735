// Rows for pages deep in a long list of the sandbox, which take as long as the first one.
import path from 'node:path'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {type Bench, type Row, takeTurns} from './row.ts'

const deepRatioMax = 1.5
const customersMany = 100_000
const transactionsMany = 1_000_000
const pagesTimed = 200

interface SeededSandbox {
  page: (list: string, token: string | undefined) => Promise<{ms: number; next: string | undefined}>
}

const shareLongLists = ({share, folder}: Bench): Promise<SeededSandbox> =>
  share('long lists', async () => {
    const sandbox = openSandbox({file: path.join(folder, 'long-lists.sqlite')})
    sandbox.seedCustomers(customersMany)
    sandbox.money.seedTransactions(transactionsMany)
    const headers = {authorization: `Bearer ${sandbox.apiKey}`}
    const page: SeededSandbox['page'] = async (list, token) => {
      const at = `http://localhost/${list}?pageSize=100${token ? `&pageToken=${token}` : ''}`
      const begun = performance.now()
      const body = (await (await sandbox.fetch(new Request(at, {headers}))).json()) as {nextPageToken?: string}
      return {ms: performance.now() - begun, next: body.nextPageToken}
    }
    return {value: {page}, close: () => sandbox.close()}
  })

// Pages at the beginning and deep in a long list.
const createDeepRow = (list: string, pagesDeep: number, count: number): Row => ({
  name: `deep-${list}`,
  isLong: true,
  title: `a page deep among ${count.toLocaleString('en-US')} ${list}`,
  unit: 'ms',
  comparator: {name: 'the first page', leavesOut: 'nothing'},
  bound: {atMost: deepRatioMax},
  measure: async (bench) => {
    const {page} = await shareLongLists(bench)
    let deep: string | undefined
    for (let read = 0; read < pagesDeep; read++) deep = (await page(list, deep)).next
    const time = (token: string | undefined) => async () => ({value: (await page(list, token)).ms})
    return {rounds: await takeTurns(pagesTimed, time(deep), time(undefined))}
  },
})

export const deepPageRows: readonly Row[] = [
  createDeepRow('customers', 900, customersMany),
  createDeepRow('transactions', 2000, transactionsMany),
]
