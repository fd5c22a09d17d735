// Sets what a profile may write: how much, where to, whether twice, whether at all.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {parseCaps, updatePermissions} from '../../profiles/permissions.ts'
import {requireProfile, summarizeProfile} from '../../profiles/profiles.ts'
import {resendPolicies} from '../../profiles/spending-limits.ts'
import {parseId} from '../../cli/flags/shared.ts'
import {itemResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

const several = {multiple: true, multipleNonGreedy: true} as const

const capFlag = (summary: string) => Flags.string({summary, ...several, helpValue: 'CURRENCY=AMOUNT'})

const allowances = {
  'payment-max': capFlag('Most that one payment may move of a currency'),
  'day-max': capFlag('Most that all payments of a day (UTC) may move of a currency, pending ones included'),
  allow: Flags.string({
    summary: 'Payment account that may be paid to; from the first one on, no other may',
    ...several,
    helpValue: 'ACCOUNT',
    parse: async (text) => parseId(text, '--allow'),
  }),
  'clear-limits': Flags.boolean({summary: 'Take away all caps and destinations before setting others'}),
  resend: Flags.option({
    summary: 'Whether a payment of unknown outcome is sent again, byte for byte (while-quoted)',
    options: resendPolicies,
  })(),
  'read-only': Flags.boolean({summary: 'Whether this profile never writes', allowNo: true}),
}

export default class ProfilesSet extends SvcCommand {
  static override view = profileView
  static override summary = 'Set what a profile may write: limits, destinations, read-only'
  static override description = `Limits bind every command that writes with the profile, \`api\` included; what they stop ends with code 10.
A profile with caps pays only in the currencies they name. Caps count the currency that leaves, in this machine's journal; what rules or other programs pay is not counted.
The built-in sandbox takes limits too, so that they can be tried.`
  static override examples = [
    {
      description: 'At most 1000 USDC a payment and 5000 a day',
      command: 'svc profiles set acme --payment-max USDC=1000 --day-max USDC=5000',
    },
    {
      description: 'Only to one account',
      command: 'svc profiles set acme --allow e6086267-7e5a-4a91-b136-a94b38bbbfb8',
    },
    {description: 'No limits any more', command: 'svc profiles set acme --clear-limits'},
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
      throw badUsage('There is nothing to set', `Give one of ${names.join(', ')}`)
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
