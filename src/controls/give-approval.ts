// Gives an approval, or withdraws those that the same person gave before.
import {badUsage} from '../errors.ts'
import {describeOperator} from '../values/operator.ts'
import type {ApprovalStore} from './approval-store.ts'
import type {Judges} from './limits.ts'
import type {DecisionJournal} from './policy-entries.ts'
import {type SigningKey, listSigningKeys, rememberSigningKey, signText} from './signatures.ts'
import type {SignedText} from './ssh-signature.ts'
import {type ApprovalSubject, approvalNamespace, parseStatement, renderStatement} from './statement.ts'

export interface Approver {
  key: SigningKey
  // Who has this key among those who may approve. Undefined where they are not known.
  person?: string | undefined
}

// The key to sign with: the one that was named, or the first one that may approve.
export async function findApprover(judges: Judges | undefined, named: string | undefined): Promise<Approver> {
  const keys = await listSigningKeys(named)
  const key = judges ? keys.find(({publicKey}) => judges.findPerson(publicKey) !== undefined) : keys[0]
  if (key) return {key, person: judges?.findPerson(key.publicKey)}
  throw badUsage(
    judges === undefined
      ? 'There is no key to sign with'
      : `None of your keys is among those who may approve (${judges.people.join(', ')})`,
    'Add a key to your agent (`ssh-add`), or name one with --signing-key; nothing was approved',
  )
}

interface Signing {
  approver: Approver
  // The user and the machine, for the record.
  user: string
  givenAt: number
  // Absent for a withdrawal. It is signed and kept, so that an approval which somebody puts back does not count again.
  expiresAt?: number | undefined
  // Whether ssh-keygen may speak to a person.
  isShown: boolean
}

export async function signApproval(
  store: ApprovalStore,
  subject: ApprovalSubject,
  {approver: {key}, isShown, user, givenAt, expiresAt}: Signing,
): Promise<SignedText> {
  const action = expiresAt === undefined ? 'withdrawal' : 'approval'
  const text = renderStatement({...subject, action, user, givenAt, expiresAt})
  if (!parseStatement(text)) throw new Error(`the statement about ${subject.serviceId} cannot be read back`)
  const signature = await signText(text, {key, namespace: approvalNamespace, isShown})
  rememberSigningKey(key)
  await store.add({text, signature})
  return {text, signature}
}

// Somebody who only approves has no journal, and gets none.
export async function recordWithdrawal(
  journal: Pick<DecisionJournal, 'recordDecision'>,
  {kind, digest}: ApprovalSubject,
  {text, signature, name, signer}: SignedText & {name: string; signer: string | undefined},
): Promise<void> {
  await journal.recordDecision({
    kind: 'APPROVAL_WITHDRAWN',
    about: {file: name},
    who: {...describeOperator(), signer},
    data: {kind, digest, withdrawal: {signer: signer ?? '', statement: text, signature}},
  })
}
