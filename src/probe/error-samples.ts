// Looks at the form of errors: a few reads and a quote that every service rejects, and every rejection of the probe itself.
import {randomUUID} from 'node:crypto'
import type {ObservedReply} from '../client/connection.ts'
import {SvcError} from '../errors.ts'
import type {ProbeContext} from './context.ts'
import type {ErrorSample, ProbeState} from './probe-state.ts'

// Enough to see the form of each kind of error, without a file that grows.
const samplesMax = 20

const isDocumented = (text: string, statusCode: number): boolean => {
  try {
    const {error, message, statusCode: stated} = JSON.parse(text) as Record<string, unknown>
    return typeof error === 'string' && error !== '' && typeof message === 'string' && stated === statusCode
  } catch {
    return false
  }
}

// The interface documents a body for errors, of any status from 400 on.
export function observeError(state: ProbeState, {method, path, status, text = ''}: ObservedReply): void {
  if (status < 400 || state.errors.length >= samplesMax) return
  const sample: ErrorSample = {
    request: `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`,
    statusCode: status,
    isDocumented: isDocumented(text, status),
    bytes: Buffer.byteLength(text),
  }
  const isKnown = state.errors.some(
    (known) => known.request === sample.request && known.statusCode === status && known.bytes === sample.bytes,
  )
  if (!isKnown) state.errors.push(sample)
}

// None of these changes anything. What they answer is observed like every reply.
export async function provokeErrors({client, state, save, report}: ProbeContext): Promise<void> {
  if (state.hasErrorSamples) return
  report('the form of errors')
  const {customerId} = state.content
  const requests = [
    {method: 'GET', path: `/customers/${randomUUID()}`},
    {method: 'GET', path: '/transactions', query: {customerId, pageSize: 0}},
    {method: 'GET', path: '/transactions', query: {customerId, pageToken: `probe-${randomUUID()}`}},
    {method: 'POST', path: '/quotes', body: JSON.stringify({customerId})},
  ]
  for (const request of requests) {
    await client.raw(request).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
  }
  state.hasErrorSamples = true
  save()
}
