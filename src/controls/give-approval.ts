// Gives an approval, or withdraws those that the same person gave before.
import {badUsage} from '../errors.ts'
import {describeOperator, nameOperator} from './operator.ts'
import type {ApprovalStore} from './approval-store.ts'
import type {Signer} from './limits.ts'
import type {DecisionJournal} from './decisions.ts'
import {type SigningKey, listSigningKeys, rememberSigningKey, signText} from './signatures.ts'
import {findSigner} from './signers.ts'
import type {SignedText} from './ssh-signature.ts'
import {type ApprovalSubject, approvalNamespace, parseStatement, renderStatement} from './statement.ts'

export interface Approver {
  key: SigningKey
  // Who has this key among those who may approve. Undefined where they are not known.
  person?: string | undefined
}

// The key to sign with: the one that was named, or the first one that may approve.
export async function findApprover(
  approvers: readonly Signer[] | undefined,
  named: string | undefined,
): Promise<Approver> {
  const keys = await listSigningKeys(named)
  const key = approvers ? keys.find(({publicKey}) => findSigner(approvers, publicKey) !== undefined) : keys[0]
  if (key) return {key, person: approvers && findSigner(approvers, key.publicKey)}
  throw badUsage(
    approvers === undefined
      ? 'There is no key to sign with'
      : `None of your keys is among those who may approve (${approvers.map(({name}) => name).join(', ')})`,
    'Add a key to your agent (`ssh-add`), or name one with --signing-key; nothing was approved',
  )
}

interface Signing {
  approver: Approver
  givenAt: number
  // Absent for a withdrawal. It is signed and kept, so that an approval which somebody puts back does not count again.
  expiresAt?: number | undefined
  // Whether ssh-keygen may speak to a person.
  isShown: boolean
  // The user and the machine: those of this process.
  user?: string
}

export async function signApproval(
  store: ApprovalStore,
  subject: ApprovalSubject,
  {approver: {key}, givenAt, expiresAt, isShown, user = nameOperator(describeOperator())}: Signing,
): Promise<SignedText> {
  const action = expiresAt === undefined ? 'withdrawal' : 'approval'
  const text = renderStatement({...subject, action, user, givenAt, expiresAt})
  if (!parseStatement(text)) throw new Error(`the statement about ${subject.serviceId} cannot be read back`)
  const signature = await signText(text, {key, namespace: approvalNamespace, isShown})
  rememberSigningKey(key)
  await store.add({text, signature})
  return {text, signature}
}

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
