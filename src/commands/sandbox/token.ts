// Prints a JWT that the sandbox accepts until it expires.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {getExitCodes} from '../../errors.ts'
import {parseDuration} from '../../cli/flags/durations.ts'
import {renderJsonLine} from '../../cli/output/write-json.ts'
import {itemResult} from '../../cli/output/result.ts'
import {writeOut} from '../../cli/output/streams.ts'
import {openControl} from '../../sandbox-control.ts'

const lifetimeDefault = '15m'
const yearMs = 366 * 24 * 60 * 60 * 1_000

export default class SandboxToken extends SvcCommand {
  static override exits = getExitCodes('usage')
  static override summary = 'Print a JWT that the sandbox accepts until it expires'
  static override description =
    'Use it as a credential of `svc sandbox start`, to try how your code renews a token. It expires on the clock of the sandbox; then requests get 401 UNAUTHORIZED. Prints the token alone; with --json also when it expires.'
  static override examples = [
    {
      description: 'Call the served sandbox with a token that is valid for a minute',
      command:
        'curl -H "Authorization: Bearer $(svc sandbox token --expires-in 1m --quiet)" http://127.0.0.1:4010/customers',
    },
    {
      description: 'Let svc renew it with a credential command',
      command: 'svc login -p local --base-url http://127.0.0.1:4010 --credential-command "svc sandbox token --quiet"',
    },
  ]
  static override flags = {
    'expires-in': Flags.string({
      summary: `How long it is valid, such as 30s, 15m or 2h (${lifetimeDefault})`,
      env: 'SVC_EXPIRES_IN',
      helpValue: 'DURATION',
    }),
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxToken)
    const expiresIn = flags['expires-in'] ?? lifetimeDefault
    parseDuration(expiresIn, '--expires-in', yearMs)
    const {call} = await openControl(flags)
    const issued = await call('token', {expiresIn})
    if (this.format === 'jsonl') return writeOut(renderJsonLine(issued)).then(() => undefined)
    if (this.format !== 'table') return itemResult(issued)
    await writeOut(`${issued.token}\n`)
    this.notice(`It is valid until ${issued.expiresAt}, on the clock of the sandbox.`)
    return undefined
  }
}
