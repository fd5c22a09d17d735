// The page on which a person pays what a transaction waits for, if its transfer instructions name one.
import type {LooseTransaction} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'

export function requirePaymentLink(transactionId: string, {transferInstructions}: LooseTransaction): string {
  const link: unknown = transferInstructions && Reflect.get(transferInstructions, 'transferPaymentLink')
  if (typeof link === 'string' && link !== '') return link
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: 'The transaction has no page to pay on: its transfer instructions name none',
    hint: `\`svc transactions get ${quoteForShell(transactionId)}\` shows what it waits for`,
  })
}
