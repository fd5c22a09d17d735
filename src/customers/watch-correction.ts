// A customer, followed after a correction. Its issues are told by whoever corrects them.
import type {Client} from '../client/client.ts'
import type {Item} from '../cli/output/format-values.ts'
import {createSubmissionTarget} from './watch-targets.ts'
import type {WatchTarget} from '../cli/watch/watch-target.ts'

export function createCorrectionTarget(client: Client, customerId: string, answer: Item): WatchTarget {
  const followed = createSubmissionTarget(client, customerId, answer)
  return {...followed, kind: {...followed.kind, notes: () => []}}
}
