// Formats the amounts of a transaction with their currencies, such as 120.50 USD.
import {formatMinute, formatMoney, toText} from '../cli/output/view.ts'
import {type LooseTransaction, readBadEnding, readCode} from '../contract/loose.ts'
import type {transactionStatuses} from '../contract/transactions.ts'
import {SvcError} from '../errors.ts'
import {addAmounts, describeArrival, describeNotArrived} from '../values/money.ts'
import {isRecord} from '../values/records.ts'
import {svc} from '../values/text.ts'
import {adviseTransfer, describeMethod, listInstructions} from '../values/transfer-instructions.ts'

export const formatSourceAmount = ({source}: LooseTransaction) =>
  formatMoney(source?.sourceAmount, source?.sourceCurrency)

export const formatDestinationAmount = ({destination}: LooseTransaction) =>
  formatMoney(destination?.destinationAmount, destination?.destinationCurrency)

const openStatuses: ReadonlySet<string> = new Set<(typeof transactionStatuses)[number]>([
  'CREATED',
  'AWAITING_TRANSFER',
  'PROCESSING',
])

// The received amount of a transaction that goes on may change until it is completed, unless its
// quote was guaranteed. Undefined if that is not known.
export function describeReceived(money: string, transaction: LooseTransaction, isGuaranteed?: boolean): string {
  if (readBadEnding(transaction)) return describeNotArrived(money)
  const isOpen = money !== '' && openStatuses.has(readCode(transaction.transactionStatus))
  return isOpen ? describeArrival(money, isGuaranteed) : money
}

export const formatFee = ({fees}: LooseTransaction, name: 'svcFee' | 'developerFee') =>
  formatMoney(fees?.[name]?.feeAmount, fees?.feeCurrency)

// The sum of both fees, which are in the source currency. An absent fee counts as 0. There is no sum if one of them is not a
// decimal.
export function formatFees({fees}: LooseTransaction): unknown {
  const amounts = [toText(fees?.svcFee?.feeAmount), toText(fees?.developerFee?.feeAmount)]
  if (amounts.every((amount) => amount === '')) return undefined
  return formatMoney(addAmounts(amounts.map((amount) => amount || '0')), fees?.feeCurrency)
}

// In an unknown status the instructions are shown, but nobody is told to send money.
export const awaitsTransfer = ({transactionStatus: status}: LooseTransaction) => adviseTransfer(status) !== 'over'

function formatHeadline(transaction: LooseTransaction, method: unknown): string {
  const {transactionStatus: status, expiresAt} = transaction
  const advice = adviseTransfer(status)
  if (advice === 'over')
    return `Do not send money now: the transaction is ${toText(status)}. These were the instructions:`
  const methodWords = describeMethod(method)
  const deadline =
    typeof expiresAt === 'string' && expiresAt !== '' ? `until ${toText(formatMinute(expiresAt))} UTC` : ''
  const verb =
    advice === 'send' ? 'Send' : `svc does not know the status ${toText(status)}: ask the service first whether to send`
  return [verb, toText(formatSourceAmount(transaction)), methodWords, deadline].filter((word) => word !== '').join(' ')
}

// For the person who sends the money: amount, recipient, deadline and reference, one line per field.
export function formatInstructions(instructions: unknown, transaction: LooseTransaction): unknown {
  if (!isRecord(instructions)) return instructions
  const lines = listInstructions(instructions).map(([label, value]) => `${label}: ${toText(value)}`)
  return [formatHeadline(transaction, instructions['transferPaymentMethod']), ...lines]
}

// The page on which a person pays what a transaction waits for, if its transfer instructions name one.
export function requirePaymentLink(transactionId: string, {transferInstructions}: LooseTransaction): string {
  const link: unknown = transferInstructions && Reflect.get(transferInstructions, 'transferPaymentLink')
  if (typeof link === 'string' && link !== '') return link
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: 'The transaction has no page to pay on: its transfer instructions name none',
    hint: `${svc`transactions get ${transactionId}`} shows what it waits for`,
  })
}
