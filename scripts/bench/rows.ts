// The rows of the table, in its order.
import {archiveRows} from './archive.ts'
import {deepPageRows} from './deep-pages.ts'
import {executableRows} from './executable.ts'
import {fleetRows} from './fleet.ts'
import {journalRows} from './journal.ts'
import {longListRows} from './long-list.ts'
import {payoutRows} from './payouts.ts'
import {postgresRows} from './postgres-journal.ts'
import type {Row} from './row.ts'
import {rulesRow} from './rules.ts'
import {sandboxRows} from './sandbox.ts'
import {startUpRows} from './start-up.ts'
import {suiteRow} from './suite.ts'

export const rows: readonly Row[] = [
  ...startUpRows,
  ...executableRows,
  ...longListRows,
  ...sandboxRows,
  ...deepPageRows,
  ...payoutRows,
  ...journalRows,
  ...archiveRows,
  ...fleetRows,
  ...postgresRows,
  rulesRow,
  suiteRow,
]
