// The rows of the table, in its order.
import {executableRows} from './executable.ts'
import {benchFleet} from './fleet.ts'
import {benchJournal} from './journal.ts'
import {longListRows} from './long-list.ts'
import {benchPayouts} from './payouts.ts'
import type {Row} from './row.ts'
import {rulesRow} from './rules.ts'
import {benchDeepPages, benchSandbox} from './sandbox.ts'
import {startUpRows} from './start-up.ts'

export const rows: readonly Row[] = [...startUpRows, ...executableRows, ...longListRows, rulesRow]

// Measured with tables of their own.
export const parts: Record<string, () => Promise<boolean>> = {
  sandbox: benchSandbox,
  'deep-pages': benchDeepPages,
  payouts: benchPayouts,
  journal: benchJournal,
  fleet: benchFleet,
}
