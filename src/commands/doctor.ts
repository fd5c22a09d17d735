// Checks everything that svc needs: this machine, the credential and the service.
import {getExitCodes} from '../errors.ts'
import {SvcCommand} from '../cli/command.ts'
import {type CheckContext, runChecks, isHealthy, createUnhealthyError} from '../doctor/run-checks.ts'
import {checks} from '../doctor/checks.ts'
import {startProgress} from '../cli/output/streams.ts'
import {listResult} from '../cli/output/result.ts'
import {checkView} from '../doctor/view.ts'

// A slow service keeps a check waiting, so the progress line names the check.
const progressEveryMs = 500

export default class Doctor extends SvcCommand {
  static override view = checkView
  static override summary = 'Check settings, credential, clock and service'
  static override description =
    'Only reads; changes nothing. "failed" means that something does not work. "warning" means that it works but needs attention, for example a clock that is a minute off. Either one makes the exit code 12. What cannot be checked is skipped. A credential command is run. No secrets or personal data are shown.'
  static override examples = [
    {description: 'Check the current profile', command: 'svc doctor'},
    {description: 'Check another profile, for at most ten seconds', command: 'svc doctor -p acme --timeout 10s'},
  ]
  static override exits = getExitCodes('usage', 'finding')

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
