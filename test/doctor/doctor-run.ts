// A healthy service for `svc doctor`, in which a test can break one thing, and the result of a run.
import type http from 'node:http'
import {type ReceivedRequest, reply, serve} from '../support/service.ts'
import {type RunResult, type Home, json, run} from '../support/svc.ts'

// Returns true if the test answered the request itself.
type Override = (request: ReceivedRequest, response: http.ServerResponse) => boolean

export const serveForDoctor = (override: Override = () => false) =>
  serve((request, response) => {
    if (!override(request, response)) reply(response, 200, {customers: []})
  })

// Answers one path with this body, and all others like a healthy service.
export const overridePath =
  (path: string, body: unknown, status = 200): Override =>
  (request, response) => {
    if (request.path !== path) return false
    reply(response, status, body)
    return true
  }

interface Row {
  check: string
  outcome: string
  found: string
  next?: string
}

export interface DoctorRun extends RunResult {
  healthy: boolean
  row: (check: string) => Row
  // The checks that are not ok, with their outcome.
  notOk: Record<string, string>
}

export async function runDoctor(home: Home, env: Record<string, string> = {}, ...args: string[]): Promise<DoctorRun> {
  const ended = await run(home, ['doctor', '--json', ...args], {env})
  const {healthy, checks} = json(ended.out) as unknown as {healthy: boolean; checks: Row[]}
  const row = (check: string) => {
    const found = checks.find((each) => each.check === check)
    if (!found) throw new Error(`no row ${check} in ${ended.out}`)
    return found
  }
  const notOk = Object.fromEntries(
    checks.filter(({outcome}) => outcome !== 'ok').map(({check, outcome}) => [check, outcome]),
  )
  return {...ended, healthy, row, notOk}
}
