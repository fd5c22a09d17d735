// The rows of the table, in its order.
import {fleetRows} from './fleet.ts'
import {longListRows} from './long-list.ts'
import {payoutRows} from './payouts.ts'
import type {Row} from './row.ts'
import {sandboxRows} from './sandbox.ts'
import {startUpRows} from './start-up.ts'

export const rows: readonly Row[] = [...startUpRows, ...longListRows, ...sandboxRows, ...payoutRows, ...fleetRows]
