// What `svc` alone shows in a terminal: the same as `svc status`. It is no check, so it ends well whatever it finds.
import {SvcCommand} from '../cli/command.ts'
import {makeStatus} from '../status/show-status.ts'
import {statusView} from '../status/view.ts'

export default class StartPage extends SvcCommand {
  static override hidden = true
  static override view = statusView
  static override summary = 'Show the start page'
  static override examples = [{description: 'Show the start page', command: 'svc'}]

  async run() {
    const {flags} = await this.parse(StartPage)
    const result = await makeStatus({
      version: this.config.version,
      profileName: flags.profile,
      requestTimeoutMs: flags['request-timeout'],
      timeoutMs: flags.timeout,
      connect: (caller, options) => this.client(caller, options),
    })
    return {...result, failure: undefined}
  }
}
