// The short way to write a policy: flags for who approves, from when on, and how long new payees wait.
import * as Flags from '@oclif/core/flags'
import {parseWait} from '../controls/limits.ts'
import {type Policy, parsePolicy} from '../controls/policy.ts'
import {readSigners} from '../controls/signers.ts'
import {badUsage} from '../errors.ts'
import {omitUndefined} from '../values/records.ts'
import {parseSums} from './change.ts'

export interface ControlChange {
  // 0 turns the requirement off.
  approvals?: number | undefined
  // The file of those who may approve.
  signers?: string | undefined
  above?: Readonly<Record<string, string>> | undefined
  // 0 for no waiting.
  coolDown?: string | undefined
}

export const isControlChange = (change: ControlChange) => Object.values(change).some((value) => value !== undefined)

// The policy with what the flags say. The keys are copied out of the file.
export function changePolicy(policy: Policy, change: ControlChange): Policy {
  const approvers = change.signers === undefined ? policy.approvers : readSigners(change.signers)
  const count = change.approvals ?? policy.approvals?.count ?? 0
  const above = change.above ?? (change.approvals === undefined ? policy.approvals?.above : undefined)
  if (!approvers && count > 0) {
    throw badUsage(
      '--approvals needs the people who may approve',
      'Give --signers FILE, in the format allowed_signers of OpenSSH; nothing was changed',
    )
  }
  if (change.above && count === 0) {
    throw badUsage(
      '--above says from when on approvals are needed, and none are',
      'Give --approvals; nothing was changed',
    )
  }
  const changed = omitUndefined({
    ...policy,
    approvers,
    approvals: count === 0 && !policy.approvals ? undefined : omitUndefined({count, above}),
    coolDown: change.coolDown ?? policy.coolDown,
  })
  return parsePolicy(changed, 'these flags')
}

// The flags of `svc profiles set` that change the policy.
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
    summary: 'Let payments and files up to this sum do without approvals',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'CURRENCY=AMOUNT',
  }),
  'cool-down': Flags.string({
    summary: 'How long the first payment to an account waits, unless it is approved (24h; 0 for no waiting)',
    helpValue: 'DURATION',
    parse: async (text) => parseWait(text, '--cool-down'),
  }),
  why: Flags.string({summary: 'Why the policy or the limits change, for the journal', helpValue: 'TEXT'}),
}

interface ControlFlags {
  approvals?: number | undefined
  signers?: string | undefined
  above?: string[] | undefined
  'cool-down'?: string | undefined
}

export const readControlChange = (flags: ControlFlags): ControlChange => ({
  approvals: flags.approvals,
  signers: flags.signers,
  above: parseSums(flags.above ?? [], '--above'),
  coolDown: flags['cool-down'],
})
