// What a person may do after a payment was made: follow its transaction.
import type {Result} from '../../cli/output/result.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {type Caller, currentProfile} from '../../profiles/caller.ts'
import {quoteForShell} from '../../values/text.ts'
import {hasFinalStatus} from '../protocol/bad-ending.ts'
import {readText} from '../../values/records.ts'

// Undefined for a transaction that has ended.
export function describeNextStep(
  result: Result,
  {profileName, chosenBy}: Pick<Caller, 'profileName' | 'chosenBy'>,
): string | undefined {
  if (result?.kind !== 'item' || result.failure) return undefined
  const transaction = result.value as LooseTransaction
  const transactionId = readText(transaction.transactionId)
  if (transactionId === '' || hasFinalStatus(transaction)) return undefined
  const profile = profileName === undefined || chosenBy === currentProfile ? '' : ` -p ${quoteForShell(profileName)}`
  return `To follow it to its end: svc transactions watch ${quoteForShell(transactionId)}${profile}`
}
