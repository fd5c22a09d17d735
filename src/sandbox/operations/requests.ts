// The operations on what surrounds the service: the requests that arrived, and credentials.
import {leapYearMs} from '../../values/time.ts'
import {parseDuration} from './clock.ts'
import {op} from './define.ts'

const requestsDefault = 20
const lifetimeDefault = '15m'

export const requests = {
  requests: op({
    says: 'Show the requests the sandbox received',
    more: 'Keeps the last 10,000 requests of all processes that used the sandbox, with their replies. Credentials are not stored, and personal data is masked.',
    isRead: true,
    input: {
      limit: {type: 'count', says: `Number of requests to show (${requestsDefault})`, max: 10_000},
      after: {type: 'count', says: 'Only requests after this sequence number, oldest first', isForPrograms: true},
      method: {type: 'text', says: 'Only this HTTP method'},
      path: {type: 'text', says: 'Only this path; {name} matches one segment, * matches anything'},
      status: {type: 'count', says: 'Only this HTTP status; 0 means no answer', max: 599},
    },
    output: (kit) =>
      kit.z.strictObject({
        newest: kit.z.int().describe('The sequence number for `after` in the next call'),
        requests: kit.z.array(kit.createResult('Request')),
      }),
    view: 'request',
    list: 'requests',
    examples: {
      'Show the last 20 requests': 'svc sandbox requests',
      'Print rejected writes with their replies': 'svc sandbox requests --method POST --status 400 -o jsonl',
    },
    run: ({requests: log}, {limit, after, ...filter}) => {
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

  token: op({
    says: 'Print a JWT that the sandbox accepts until it expires',
    more: 'Use it as a credential of `svc sandbox start`, to try how your code renews a token. It expires on the clock of the sandbox; then requests get 401 UNAUTHORIZED. Prints the token alone; with --json also when it expires.',
    input: {
      expiresIn: {
        type: 'duration',
        says: `How long it is valid, such as 30s, 15m or 2h (${lifetimeDefault})`,
        max: leapYearMs,
      },
    },
    output: ({z, timestamp}) =>
      z.strictObject({token: z.string(), expiresAt: timestamp.describe('On the clock of the sandbox')}),
    examples: {
      'Call the served sandbox with a token that is valid for a minute':
        'curl -H "Authorization: Bearer $(svc sandbox token --expires-in 1m --quiet)" http://127.0.0.1:4010/customers',
      'Let svc renew it with a credential command':
        'svc login -p local --base-url http://127.0.0.1:4010 --credential-command "svc sandbox token --quiet"',
    },
    run: (controls, {expiresIn = lifetimeDefault}) => controls.issueToken(parseDuration(expiresIn)),
  }),
}
