// The flags of `svc profiles set` for approvals, new payees and signed settings.
import * as Flags from '@oclif/core/flags'
import {type ControlChange, parseAbove} from './controls.ts'
import {parseCoolDown} from './cool-down.ts'

const approvalsMax = 20

export const controlFlags = {
  approvals: Flags.integer({
    summary: 'How many people have to approve what is paid, besides the one who runs it; 0 for none',
    helpValue: 'N',
    min: 0,
    max: approvalsMax,
  }),
  signers: Flags.string({
    summary: 'File of those who may approve, with their keys, in the format allowed_signers of OpenSSH',
    helpValue: 'FILE',
  }),
  above: Flags.string({
    summary: 'Let payments and files up to this sum do without approvals, such as "1000 USDC"',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'AMOUNT',
  }),
  'cool-down': Flags.string({
    summary: 'How long the first payment to an account waits, unless it is approved (24h; 0 for no waiting)',
    helpValue: 'DURATION',
    parse: async (text) => parseCoolDown(text, '--cool-down'),
  }),
  protect: Flags.boolean({
    summary:
      'Write nothing unless those who may approve have signed the settings of the profile, or undo it (--no-protect)',
    allowNo: true,
  }),
  why: Flags.string({summary: 'Why approvals, waiting or protection change, for the journal', helpValue: 'TEXT'}),
}

interface ControlFlags {
  approvals?: number | undefined
  signers?: string | undefined
  above?: string[] | undefined
  'cool-down'?: string | undefined
  protect?: boolean | undefined
}

export const readControlChange = (flags: ControlFlags): ControlChange => ({
  approvals: flags.approvals,
  signers: flags.signers,
  above: parseAbove(flags.above ?? []),
  coolDown: flags['cool-down'],
  isProtected: flags.protect,
})
