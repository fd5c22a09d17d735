// Protects the settings of a profile: those who may approve sign them, and a change that they did not sign is noticed.
import {createHash} from 'node:crypto'
import path from 'node:path'
import {quoteForShell} from '../values/text.ts'
import {getConfigFolder} from '../storage/folders.ts'
import type {Approvable} from './approvable.ts'
import {getApprovalFolder, openFileStore} from './approval-store.ts'
import {requireApprovals} from './check-approvals.ts'
import type {ApprovalPolicy, SpendingLimits} from './limits.ts'
import {createField, listFields} from './fields.ts'
import {readSigners} from './signers.ts'
import {type ApprovalSubject, digestPart} from './statement.ts'

// What the settings of a profile say about whoever runs svc.
interface ControlledCaller {
  label: string
  profileName?: string
  baseUrl: string
  environment: string
  readOnly: boolean
  spending?: SpendingLimits
  approvals?: ApprovalPolicy
  coolDownMs?: number
  journal?: {address: string}
  isProtected?: boolean
}

const digestText = (text: string) => createHash('sha256').update(text).digest('hex')

// What a profile may do, without its name and its secrets. The people who may approve are part of it, not where their file is.
function listProtectedSettings(caller: ControlledCaller): Record<string, unknown> {
  const {baseUrl, environment, readOnly, spending, approvals, coolDownMs, journal} = caller
  const {paymentMax, dayMax, destinations} = spending ?? {}
  return {
    address: baseUrl,
    environment,
    readOnly,
    paymentMax,
    dayMax,
    destinations: destinations?.toSorted(),
    approvals: approvals?.required,
    above: approvals?.above,
    signers: approvals && digestText(readSigners(approvals.signers).text),
    coolDownMs,
    journal: journal?.address,
  }
}

const createSettingsSubject = (caller: ControlledCaller, serviceId: string): ApprovalSubject => ({
  kind: 'settings',
  serviceId,
  digest: digestPart(listProtectedSettings(caller)).toString('hex'),
})

// The signatures are beside the settings, on this machine.
export const openSettingsStore = (profileName: string) =>
  openFileStore(getApprovalFolder(path.join(getConfigFolder(), 'approvals', profileName)))

// Throws if the settings are protected, and not signed as they are.
export async function requireSignedSettings(caller: ControlledCaller, serviceId: string): Promise<void> {
  const {isProtected, approvals, profileName} = caller
  if (!isProtected || profileName === undefined) return
  await requireApprovals({
    subject: createSettingsSubject(caller, serviceId),
    store: openSettingsStore(profileName),
    required: Math.max(1, approvals?.required ?? 0),
    signersFile: approvals?.signers ?? '',
    what: `The ${caller.label}, with the settings that it has now,`,
    command: `svc approve --settings -p ${quoteForShell(profileName)}`,
  })
}

// What people see of the settings of a profile before they sign them.
export function describeSettings(caller: ControlledCaller, serviceId: string): Approvable {
  const settings = Object.entries(listProtectedSettings(caller))
  return {
    subject: createSettingsSubject(caller, serviceId),
    name: `the settings of ${caller.label}`,
    facts: [],
    content: {fields: listFields(settings.map(([name, value]) => createField(name, value)))},
  }
}
