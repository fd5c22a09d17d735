// Prints the CPU time of scanning a page of a long list, as a ratio to parsing and writing it: the best of several rounds, after
// which the code is compiled. A test runs this in a process of its own, where nothing else measures the code.
import {createPageScanner} from '../../src/client/scan-page.ts'
import {type WireEndpoint, wire} from '../../src/contract/wire.frozen.ts'
import {transaction} from '../../test/support/transactions.ts'

const pagesPerRound = 40
const rounds = 8

const text = JSON.stringify({transactions: Array.from({length: 100}, (_, index) => transaction(index))})
const scan = createPageScanner(wire['transactions']?.['list'] as WireEndpoint)

function measureCpu(work: () => unknown): number {
  const before = process.cpuUsage()
  for (let page = 0; page < pagesPerRound; page++) work()
  const {user, system} = process.cpuUsage(before)
  return user + system
}

function parseAndWrite(): string {
  const {transactions} = JSON.parse(text) as {transactions: unknown[]}
  return transactions.map((item) => JSON.stringify(item)).join('\n')
}

const ratios = Array.from({length: rounds}, () => measureCpu(() => scan(text)) / measureCpu(parseAndWrite))
process.stdout.write(`${Math.min(...ratios)}\n`)
process.exit()
