// Says that an amount is magic in the sandbox, where it decided how a transaction went on.
import {type ItemResult, type Result} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import {type LooseTransaction, readCode} from '../contract/loose.ts'
import type {Caller} from '../profiles/caller.ts'
import {readServiceState} from '../transport.ts'
import {normalizeAmount} from '../values/money.ts'

// Undefined if the amount has no such effect, and for any other service.
export async function describeMagicEnding(
  caller: Caller,
  {transactionStatus, source}: LooseTransaction,
): Promise<string | undefined> {
  const amount = toText(source?.sourceAmount)
  const {describeMagicAmount} = await readServiceState(caller)
  const remark = amount === '' ? undefined : describeMagicAmount?.(normalizeAmount(amount))
  return remark?.includes(`: ${readCode(transactionStatus)} `) ? `In the sandbox, ${remark}.` : undefined
}

// Gives the remark about the transaction of a result that ended badly.
export async function noticeMagicEnding(
  caller: Caller,
  result: Result,
  notice: (text: string) => void,
): Promise<Result> {
  if (!result || !('value' in result) || result.failure?.kind !== 'endedBadly') return result
  const remark = await describeMagicEnding(caller, (result as ItemResult<LooseTransaction>).value)
  if (remark !== undefined) notice(remark)
  return result
}
