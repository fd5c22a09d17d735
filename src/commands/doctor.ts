// Checks everything that must be well before svc can work: this machine, the credential, the service and its replies.
import {getExitCodes} from '../errors.ts'
import {SvcCommand} from '../cli/command.ts'
import {type CheckContext, runChecks, isHealthy, createUnhealthyError} from '../doctor/run-checks.ts'
import {checks} from '../doctor/checks.ts'
import {startProgress} from '../cli/output/progress.ts'
import {listResult} from '../cli/output/result.ts'
import {checkView} from '../doctor/view.ts'

// A service that is silent keeps one check waiting, so a person is told which while it lasts.
const progressEveryMs = 500

export default class Doctor extends SvcCommand {
  static override view = checkView
  static override summary = 'Check settings, credential, clock, service and its replies'
  static override description =
    'Reads only. A row that is "failed" does not work; a "warning" works and wants a hand all the same, such as a field that the service sends and svc does not know (drift). Either makes the whole unhealthy and the code 12. What cannot be checked is skipped. A credential command is run; no secret and no personal data is shown.'
  static override examples = [
    {description: 'Everything about the current profile', command: 'svc doctor'},
    {description: 'Another profile, stopping after ten seconds', command: 'svc doctor -p acme --timeout 10s'},
    {
      description: 'What is not well, for a script',
      command: `svc doctor --json | jq -r '.checks[] | select(.next) | .found'`,
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'finding')

  async run() {
    const {flags} = await this.parse(Doctor)
    const context: CheckContext = {
      profileName: flags.profile,
      timeoutMs: flags.timeout,
      connect: (caller, more) => this.client(caller, more),
      rows: [],
    }
    const progress = startProgress()
    let name = ''
    const ticking = setInterval(() => progress.report(`Checking ${name}…`), progressEveryMs)
    const rows = await runChecks(checks, context, (next) => void (name = next))
    clearInterval(ticking)
    progress.end()
    return listResult(rows, 'checks', checkView, {
      extraFields: {healthy: isHealthy(rows)},
      failure: createUnhealthyError(rows),
    })
  }
}
