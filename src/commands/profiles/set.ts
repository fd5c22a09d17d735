// Sets what a profile may write: caps, destinations, resending, read-only.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {parseCaps, updatePermissions} from '../../profiles/permissions.ts'
import {requireProfile, summarizeProfile} from '../../profiles/profiles.ts'
import {resendPolicies} from '../../profiles/key-trust.ts'
import {parseId} from '../../cli/flags/shared.ts'
import {itemResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

const several = {multiple: true, multipleNonGreedy: true} as const

const capFlag = (summary: string) => Flags.string({summary, ...several, helpValue: 'CURRENCY=AMOUNT'})

const allowances = {
  'payment-max': capFlag('Maximum amount of a single payment in a currency'),
  'day-max': capFlag('Maximum total of a day’s (UTC) payments in a currency, including pending ones'),
  allow: Flags.string({
    summary: 'Allow payments to this account; all accounts not allowed are then blocked',
    ...several,
    helpValue: 'ACCOUNT',
    parse: async (text) => parseId(text, '--allow'),
  }),
  'clear-limits': Flags.boolean({summary: 'Remove all caps and destinations before setting new ones'}),
  resend: Flags.option({
    summary:
      'Whether to send the same request again when an outcome is unknown: only if keys are known to be honoured (auto)',
    options: resendPolicies,
  })(),
  'read-only': Flags.boolean({
    summary: 'Allow no writes with this profile, or allow them again (--no-read-only)',
    allowNo: true,
  }),
}

export default class ProfilesSet extends SvcCommand {
  static override view = profileView
  static override summary = 'Set the limits, destinations and read-only mode of a profile'
  static override description = `Limits apply to every command that writes with the profile, including \`svc api\`. A payment that a limit stops exits with code 10.
A profile with caps can pay only in the currencies of those caps. Caps count source amounts in this machine’s journal; payments by rules or other programs are not counted.
The built-in sandbox profile accepts limits too, so that you can try them.`
  static override examples = [
    {
      description: 'Allow at most 1000 USDC per payment and 5000 per day',
      command: 'svc profiles set acme --payment-max USDC=1000 --day-max USDC=5000',
    },
    {
      description: 'Allow payments to one account only',
      command: 'svc profiles set acme --allow e6086267-7e5a-4a91-b136-a94b38bbbfb8',
    },
    {description: 'Remove all limits', command: 'svc profiles set acme --clear-limits'},
  ]
  static override exits = getExitCodes('usage')
  static override args = {
    name: Args.string({description: 'Name of the profile', required: true}),
  }
  static override flags = allowances

  async run() {
    const {args, flags} = await this.parse(ProfilesSet)
    requireProfile(args.name)
    if (!Object.keys(allowances).some((name) => name in flags)) {
      const names = Object.keys(allowances).map((name) => `--${name}`)
      throw badUsage('Nothing to set', `Give one of ${names.join(', ')}`)
    }
    const profile = await updatePermissions(args.name, {
      paymentMax: parseCaps(flags['payment-max'] ?? [], '--payment-max'),
      dayMax: parseCaps(flags['day-max'] ?? [], '--day-max'),
      allow: flags.allow,
      clearLimits: flags['clear-limits'],
      resend: flags.resend,
      readOnly: flags['read-only'],
    })
    return this.finishWrite(itemResult(summarizeProfile(args.name, profile), profileView))
  }
}
