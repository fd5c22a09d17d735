// How long a page token works, as far as it can be seen in the time that a probe takes.
import {getNextPageToken} from '../client/paging.ts'
import {SvcError} from '../errors.ts'
import type {ProbeContext} from './context.ts'

// The smallest page, so that two transactions are enough for a token.
const pageSize = 1

// Takes a token the first time, and uses the same one again each time after that, until the service rejects it.
export async function checkPageToken({client, state, time, save}: ProbeContext): Promise<void> {
  const {customerId} = state.content
  const known = state.pageToken
  if (known?.diedAfterMs !== undefined) return
  try {
    if (known) {
      const ageMs = time.now() - known.takenAt
      await client.transactions.list({customerId, pageSize, pageToken: known.token})
      known.lifeMs = Math.max(ageMs, known.lifeMs ?? 0)
    } else {
      const token = getNextPageToken(await client.transactions.list({customerId, pageSize}))
      if (token !== undefined) state.pageToken = {token, takenAt: time.now()}
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    // Only a rejection says something about the token.
    if (known && error.kind === 'refused') known.diedAfterMs = time.now() - known.takenAt
  }
  save()
}
