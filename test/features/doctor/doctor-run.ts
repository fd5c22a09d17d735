// The result of a run of `svc doctor`.
import {type Home, type RunResult, json, run} from '../../support/svc.ts'

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
