// Compares exported books with the double-entry ledger that the sandbox keeps of its own money, to the last unit.
import {DatabaseSync} from 'node:sqlite'
import {Big} from 'big.js'
import {sumBy} from './read-ledger.ts'

interface Leg {
  accountId: string
  currency: string
  method: string
  amount: string
}

interface BookLine {
  posted: boolean
  key: string
  kind: string
  transactionId: string
  source: Leg
  destination: Leg
  svcFee: string
  developerFee: string
}

interface LedgerRow {
  holder: string
  currency: string
  amount: string
}

type Change = readonly [holder: string, currency: string, amount: Big]

export const readLines = (jsonl: string): BookLine[] =>
  jsonl
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as BookLine)

const addUp = (changes: readonly Change[]) =>
  sumBy(
    changes,
    ([holder, currency]) => `${holder} ${currency}`,
    ([, , amount]) => amount,
  )

// What the ledger must have, by what the books say. Money in transit has arrived, so it sums to zero.
function expectLedger(lines: readonly BookLine[], wallets: ReadonlySet<string>): Record<string, string> {
  const nameHolder = ({accountId, method}: Leg) =>
    wallets.has(accountId) ? `wallet:${accountId}` : `outside:${method}`
  return addUp(
    lines.flatMap(({source, destination, svcFee, developerFee}): Change[] => {
      const net = new Big(source.amount).minus(svcFee).minus(developerFee)
      return [
        [nameHolder(source), source.currency, new Big(source.amount).neg()],
        ['fees:service', source.currency, new Big(svcFee)],
        ['fees:developer', source.currency, new Big(developerFee)],
        ['pool', source.currency, net],
        ['pool', destination.currency, new Big(destination.amount).neg()],
        [nameHolder(destination), destination.currency, new Big(destination.amount)],
      ]
    }),
  )
}

// The entries that the sandbox has for these transactions.
function readSandboxLedger(file: string, transactionIds: ReadonlySet<string>): Record<string, string> {
  const database = new DatabaseSync(file, {readOnly: true})
  try {
    const rows = database
      .prepare(
        `select cause, value ->> 0 as holder, value ->> 1 as currency, value ->> 2 as amount
         from postings join json_each(postings.entries)`,
      )
      .all() as unknown as Array<LedgerRow & {cause: string}>
    return addUp(
      rows
        .filter(({cause}) => transactionIds.has(cause.split(' ')[1] ?? ''))
        .map(({holder, currency, amount}): Change => [holder, currency, new Big(amount)]),
    )
  } finally {
    database.close()
  }
}

// Both sides, by holder and currency.
export function compareWithSandbox(jsonl: string, file: string, wallets: ReadonlySet<string>) {
  const lines = readLines(jsonl).filter(({posted}) => posted)
  const ids = new Set(lines.map(({transactionId}) => transactionId))
  return {books: expectLedger(lines, wallets), ledger: readSandboxLedger(file, ids), count: lines.length}
}
