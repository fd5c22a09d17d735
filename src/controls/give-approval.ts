// Gives an approval, or withdraws those that the same person gave before.
import {badUsage} from '../errors.ts'
import {type SigningKey, listSigningKeys, rememberSigningKey, signText} from './signatures.ts'
import type {Judges} from './limits.ts'
import type {ApprovalStore} from './approval-store.ts'
import {type ApprovalSubject, type Statement, approvalNamespace, parseStatement, renderStatement} from './statement.ts'

export interface Approver {
  key: SigningKey
  // Who has this key among those who may approve. Undefined where they are not known.
  person?: string | undefined
}

const noSigningKey = (judges: Judges | undefined) =>
  badUsage(
    judges === undefined
      ? 'There is no key to sign with'
      : `None of your keys is among those who may approve (${judges.people.join(', ')})`,
    'Add a key to your agent (`ssh-add`), or name one with --signing-key; nothing was approved',
  )

// The key to sign with: the one that was named, or the first one that may approve.
export async function findApprover(judges: Judges | undefined, named: string | undefined): Promise<Approver> {
  const keys = await listSigningKeys(named)
  const key = judges ? keys.find(({publicKey}) => judges.findPerson(publicKey) !== undefined) : keys[0]
  if (!key) throw noSigningKey(judges)
  return {key, person: judges?.findPerson(key.publicKey)}
}

export interface Signing {
  approver: Approver
  // The user and the machine, for the record.
  user: string
  nowMs: number
  // Whether ssh-keygen may speak to a person.
  isShown: boolean
}

async function signAndStore(store: ApprovalStore, statement: Statement, {approver, isShown}: Signing) {
  const text = renderStatement(statement)
  if (!parseStatement(text)) throw new Error(`the statement about ${statement.serviceId} cannot be read back`)
  const signature = await signText(text, {key: approver.key, namespace: approvalNamespace, isShown})
  rememberSigningKey(approver.key)
  await store.add({text, signature})
  return {statement, signature}
}

export function giveApproval(store: ApprovalStore, subject: ApprovalSubject, signing: Signing & {validMs: number}) {
  const {user, nowMs, validMs} = signing
  const times = {givenAt: nowMs, expiresAt: nowMs + validMs}
  return signAndStore(store, {...subject, action: 'approval', user, ...times}, signing)
}

// The withdrawal is signed and kept, so that an approval which somebody puts back does not count again.
export function withdrawApproval(store: ApprovalStore, subject: ApprovalSubject, signing: Signing) {
  const {user, nowMs} = signing
  return signAndStore(store, {...subject, action: 'withdrawal', user, givenAt: nowMs}, signing)
}
