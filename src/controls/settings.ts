// Protects the settings of a profile: those who may approve sign them, and a change that they did not sign is noticed.
import {createHash} from 'node:crypto'
import path from 'node:path'
import type {Caller} from '../profiles/caller.ts'
import {quoteForShell} from '../values/text.ts'
import {getConfigFolder} from '../storage/folders.ts'
import {readSigners} from './signers.ts'
import {getApprovalFolder, openFileStore} from './file-store.ts'
import {requireApprovals} from './require-approval.ts'
import {type ApprovalSubject, digestPart} from './subject.ts'

type Fields = Record<string, unknown>

const digestText = (text: string) => createHash('sha256').update(text).digest('hex')

// What a profile may do, without its name and its secrets. The people who may approve are part of it, not where their file is.
export function listProtectedSettings(caller: Caller): Fields {
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

export const createSettingsSubject = (caller: Caller, serviceId: string): ApprovalSubject => ({
  kind: 'settings',
  serviceId,
  digest: digestPart(listProtectedSettings(caller)).toString('hex'),
})

// The signatures are beside the settings, on this machine.
export const openSettingsStore = (profileName: string) =>
  openFileStore(getApprovalFolder(path.join(getConfigFolder(), 'approvals', profileName)))

// Throws if the settings are protected, and not signed as they are.
export async function requireSignedSettings(caller: Caller, serviceId: string): Promise<void> {
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
