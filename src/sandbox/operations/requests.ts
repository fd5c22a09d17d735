// The operations on what surrounds the service: the requests that arrived, and credentials.
import {dayMs} from '../../values/time.ts'
import {parseDuration} from './clock.ts'
import {defineOperation} from './define.ts'

const requestsDefault = 20
const lifetimeDefault = '15m'
const yearMs = 366 * dayMs

export const requests = {
  requests: defineOperation({
    isRead: true,
    summary: 'Show the requests that arrived',
    input: {
      limit: {
        type: 'count',
        max: 10_000,
        flagMax: Number.MAX_SAFE_INTEGER,
        description: `${requestsDefault} by default`,
        summary: `Number of requests to show (${requestsDefault})`,
        helpValue: 'N',
      },
      after: {type: 'count', description: 'Only requests after this sequence number, oldest first'},
      method: {type: 'text', min: 0, summary: 'Only this HTTP method'},
      path: {
        type: 'text',
        min: 0,
        description: '{name} matches one segment, * matches anything',
        summary: 'Only this path; {name} matches one segment, * matches anything',
      },
      status: {
        type: 'count',
        max: 599,
        description: '0 means no answer',
        summary: 'Only this HTTP status; 0 means no answer',
      },
    },
    examples: [{limit: 5, method: 'GET'}],
    output: (kit) =>
      kit.z.strictObject({
        newest: kit.z.int().describe('The sequence number for `after` in the next call'),
        requests: kit.z.array(kit.createResult('Request')),
      }),
    command: {
      summary: 'Show the requests the sandbox received',
      description:
        'Keeps the last 10,000 requests of all processes that used the sandbox, with their replies. Credentials are not stored, and personal data is masked.',
      examples: {
        'Show the last 20 requests': 'svc sandbox requests',
        'Print rejected writes with their replies': 'svc sandbox requests --method POST --status 400 -o jsonl',
        'Print new requests until Ctrl-C': 'svc sandbox requests --follow',
      },
      view: 'request',
      list: 'requests',
      isSortable: true,
    },
    run: (controls, {limit, after, ...filter}) => {
      const log = controls.requests
      if (after !== undefined) {
        const {seq, requests: found} = log.since(after, filter)
        const shown = limit === undefined ? found : found.slice(0, limit)
        return {newest: shown.length < found.length ? (shown.at(-1)?.seq ?? after) : seq, requests: shown}
      }
      // The number is read first, so that a request that arrives in between comes with the next call.
      const newest = log.newest()
      const last = log.last(limit ?? requestsDefault, filter)
      return {newest, requests: last.filter(({seq}) => seq <= newest)}
    },
  }),

  token: defineOperation({
    summary: 'Issue a JWT that the sandbox accepts',
    input: {
      expiresIn: {
        type: 'duration',
        description: `${lifetimeDefault} by default`,
        summary: `How long it is valid, such as 30s, 15m or 2h (${lifetimeDefault})`,
        helpValue: 'DURATION',
        max: yearMs,
      },
    },
    examples: [{expiresIn: '1m'}],
    output: ({z, timestamp}) =>
      z.strictObject({token: z.string(), expiresAt: timestamp.describe('On the clock of the sandbox')}),
    command: {
      summary: 'Print a JWT that the sandbox accepts until it expires',
      description:
        'Use it as a credential of `svc sandbox start`, to try how your code renews a token. It expires on the clock of the sandbox; then requests get 401 UNAUTHORIZED. Prints the token alone; with --json also when it expires.',
      examples: {
        'Call the served sandbox with a token that is valid for a minute':
          'curl -H "Authorization: Bearer $(svc sandbox token --expires-in 1m --quiet)" http://127.0.0.1:4010/customers',
        'Let svc renew it with a credential command':
          'svc login -p local --base-url http://127.0.0.1:4010 --credential-command "svc sandbox token --quiet"',
      },
      exits: ['usage'],
    },
    run: (controls, {expiresIn = lifetimeDefault}) => controls.issueToken(parseDuration(expiresIn)),
  }),
}
