// The controls of a profile: whose approval a payment needs, how long new payees wait, and whether its settings are signed.
import path from 'node:path'
import * as Flags from '@oclif/core/flags'
import {parseCoolDown} from '../controls/limits.ts'
import {badUsage} from '../errors.ts'
import {type Profile, requireProfile, updateSettings} from './profiles.ts'

// Parses 1000 USDC.
const abovePattern = /^(\d{1,30}(?:\.\d{1,30})?)\s*([A-Za-z][A-Za-z0-9]{1,15})$/

function parseAbove(texts: readonly string[]): Record<string, string> | undefined {
  if (texts.length === 0) return undefined
  return Object.fromEntries(
    texts.map((text) => {
      const [, amount, currency] = abovePattern.exec(text.trim()) ?? []
      if (amount !== undefined && currency !== undefined) return [currency.toUpperCase(), amount]
      throw badUsage(`--above "${text}" is not an amount and a currency`, 'Write "1000 USDC"; nothing was changed')
    }),
  )
}

export interface ControlChange {
  // 0 turns the requirement off.
  approvals?: number | undefined
  signers?: string | undefined
  above?: Readonly<Record<string, string>> | undefined
  // 0 for no waiting.
  coolDown?: string | undefined
  isProtected?: boolean | undefined
}

const needsSigners = (flag: string) =>
  badUsage(
    `${flag} needs the people who may approve`,
    'Give --signers FILE, in the format allowed_signers of OpenSSH; nothing was changed',
  )

export const isControlChange = (change: ControlChange) => Object.values(change).some((value) => value !== undefined)

export interface PlannedControls {
  before: Profile
  after: Profile
}

// What the profile would be after the change. Nothing is written.
export function planControls(name: string, change: ControlChange): PlannedControls {
  const before = requireProfile(name)
  const {approvals: policy, coolDown: _coolDown, isProtected: _isProtected, ...rest} = before
  const signers = change.signers === undefined ? policy?.signers : path.resolve(change.signers)
  const required = change.approvals ?? policy?.required ?? 0
  const above = change.above ?? (change.approvals === undefined ? policy?.above : undefined)
  const isProtected = change.isProtected ?? before.isProtected ?? false
  if (signers === undefined && required > 0) throw needsSigners('--approvals')
  if (signers === undefined && isProtected) throw needsSigners('--protect')
  if (change.above && required === 0) {
    throw badUsage(
      '--above says from when on approvals are needed, and none are',
      'Give --approvals; nothing was changed',
    )
  }
  const coolDown = change.coolDown ?? before.coolDown
  const after: Profile = {
    ...rest,
    ...(signers !== undefined && {approvals: {required, signers, ...(above && {above})}}),
    ...(coolDown !== undefined && coolDown !== '0' && {coolDown}),
    ...(isProtected && {isProtected}),
  }
  return {before, after}
}

export async function storeControls(name: string, {after}: PlannedControls): Promise<void> {
  const {approvals, coolDown, isProtected} = after
  await updateSettings((settings) => {
    const {approvals: _approvals, coolDown: _coolDown, isProtected: _isProtected, ...rest} = requireProfile(name)
    const controls = {...(approvals && {approvals}), ...(coolDown && {coolDown}), ...(isProtected && {isProtected})}
    settings.profiles[name] = {...rest, ...controls}
  })
}

// The flags of `svc profiles set` for approvals, new payees and signed settings.
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
