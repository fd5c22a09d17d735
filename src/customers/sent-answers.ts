// Keeps what a wizard has sent for verification, since the service never shows it again: after a refusal only what it concerns is
// asked. The file is private like a draft, and is removed when svc sees that the customer takes no more data.
import fs from 'node:fs'
import path from 'node:path'
import {type DraftCaller, createDraftScope} from '../cli/wizard/draft-store.ts'
import {isUuid} from '../contract/ids.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import type {Body} from '../values/body-paths.ts'
import {isRecord} from '../values/records.ts'
import {dayMs} from '../values/time.ts'

// Nobody corrects a customer that late, and svc may never have seen how its verification ended.
const keptMaxMs = 90 * dayMs

export interface SentAnswers {
  sentAtMs: number
  // The verification data alone, with documents as paths.
  body: Body
}

interface StoredAnswers extends SentAnswers {
  service: string
  profile: string
}

const isStored = (value: unknown): value is StoredAnswers =>
  isRecord(value) && isRecord(value['body']) && typeof value['sentAtMs'] === 'number'

const getFolder = () => path.join(getStateFolder(), 'sent-answers')
const getFile = (customerId: string) => path.join(getFolder(), `${customerId.toLowerCase()}.json`)

// What was sent to this service with this profile. Undefined if nothing is kept.
export function readSentAnswers(caller: DraftCaller, customerId: string): SentAnswers | undefined {
  const scope = createDraftScope(caller)
  try {
    const value: unknown = JSON.parse(fs.readFileSync(getFile(customerId), 'utf8'))
    return isStored(value) && value.service === scope.service && value.profile === scope.profile ? value : undefined
  } catch {
    // Nothing was kept, or another version wrote it.
    return undefined
  }
}

function removeOld(): void {
  for (const name of fs.readdirSync(getFolder())) {
    const each = path.join(getFolder(), name)
    if (Date.now() - fs.statSync(each).mtimeMs > keptMaxMs) fs.rmSync(each, {force: true})
  }
}

// Without a place to keep them, the next correction asks for everything again.
export function keepSentAnswers(caller: DraftCaller, customerId: unknown, {kycData, kybData}: Body): void {
  if (typeof customerId !== 'string' || !isUuid(customerId) || !(kycData ?? kybData)) return
  const sent: StoredAnswers = {...createDraftScope(caller), sentAtMs: Date.now(), body: {kycData, kybData}}
  try {
    makePrivateFolder(getFolder())
    removeOld()
    replacePrivateFile(getFile(customerId), `${JSON.stringify(sent)}\n`)
  } catch {}
}

const endedStatuses: ReadonlySet<string> = new Set(['ACTIVE', 'REJECTED', 'DEACTIVATED'])

// A customer whose verification has ended takes no more data.
export function forgetIfEnded<T extends LooseCustomer>(customer: T): T {
  const {customerId, customerStatus} = customer
  if (typeof customerId === 'string' && isUuid(customerId) && endedStatuses.has(readCode(customerStatus))) {
    fs.rmSync(getFile(customerId), {force: true})
  }
  return customer
}

// A correction replaces the parts that it has as a whole: an address, or a list of people.
export function replaceParts(known: Body, sent: Body): Body {
  const replace = (field: 'kycData' | 'kybData') => {
    const [before, after] = [known[field], sent[field]]
    return isRecord(before) && isRecord(after) ? {...before, ...after} : (after ?? before)
  }
  return {kycData: replace('kycData'), kybData: replace('kybData')}
}
