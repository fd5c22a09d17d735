// Formats the amounts of a transaction with their currencies, such as 120.50 USD.
import {formatMinute, formatMoney, toText} from '../cli/output/view.ts'
import {type LooseTransaction, readCode} from '../contract/loose.ts'
import {type cryptoMethods, fiatInstructionLabels, type fiatMethods} from '../contract/vocabulary.ts'
import type {transactionStatuses} from '../contract/transactions.ts'
import {SvcError} from '../errors.ts'
import {addAmounts, describeArrival} from '../values/money.ts'
import {quoteForShell} from '../values/text.ts'
import {isRecord} from '../values/records.ts'

export const formatSourceAmount = ({source}: LooseTransaction) =>
  formatMoney(source?.sourceAmount, source?.sourceCurrency)

export const formatDestinationAmount = ({destination}: LooseTransaction) =>
  formatMoney(destination?.destinationAmount, destination?.destinationCurrency)

const openStatuses: ReadonlySet<string> = new Set<(typeof transactionStatuses)[number]>([
  'CREATED',
  'AWAITING_TRANSFER',
  'PROCESSING',
])

// The received amount of a transaction that goes on may change until it is completed, unless its quote was guaranteed.
export const describeReceived = (
  money: string,
  {transactionStatus}: LooseTransaction,
  isGuaranteed: boolean | undefined,
): string =>
  money !== '' && openStatuses.has(readCode(transactionStatus)) ? describeArrival(money, isGuaranteed) : money

export const formatFee = ({fees}: LooseTransaction, name: 'svcFee' | 'developerFee') =>
  formatMoney(fees?.[name]?.feeAmount, fees?.feeCurrency)

// The sum of both fees, which are in the source currency. An absent fee counts as 0. There is no sum if one of them is not a
// decimal.
export function formatFees({fees}: LooseTransaction): unknown {
  const amounts = [toText(fees?.svcFee?.feeAmount), toText(fees?.developerFee?.feeAmount)]
  if (amounts.every((amount) => amount === '')) return undefined
  return formatMoney(addAmounts(amounts.map((amount) => amount || '0')), fees?.feeCurrency)
}

// Formats transfer instructions for the person who sends the money: amount, recipient, deadline and reference.
type Method = (typeof fiatMethods)[number] | (typeof cryptoMethods)[number]

const methodLabels: Readonly<Record<Method, string>> = {
  ACH: 'by ACH',
  WIRE: 'by wire transfer',
  SEPA: 'by SEPA transfer',
  CA_INTERAC: 'by Interac e-Transfer',
  IN_NEFT_RTGS_IMPS: 'by NEFT, RTGS or IMPS',
  ARBITRUM: 'on ARBITRUM',
  BASE: 'on BASE',
  ETHEREUM: 'on ETHEREUM',
  OPTIMISM: 'on OPTIMISM',
  POLYGON: 'on POLYGON',
  SOLANA: 'on SOLANA',
}

// Services keep the instructions after the transfer. They must not make anybody send the money again.
const isTransferOver: Readonly<Record<(typeof transactionStatuses)[number], boolean>> = {
  CREATED: false,
  AWAITING_TRANSFER: false,
  PROCESSING: true,
  COMPLETED: true,
  FAILED: true,
  CANCELLED: true,
  EXPIRED: true,
}

// The interface does not show crypto instructions. These are the fields of the sandbox (docs/assumptions.md, M11).
const cryptoLabels = {transferAddress: 'To address', transferMessage: 'Message'}

// Groups of four characters are easier to copy.
const groupIban = (iban: string) =>
  iban
    .replaceAll(/\s/g, '')
    .replaceAll(/(.{4})/g, '$1 ')
    .trimEnd()

const lookUp = <V>(table: Readonly<Record<string, V>>, key: unknown): V | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined

// In an unknown status the instructions are shown, but nobody is told to send money.
export const awaitsTransfer = ({transactionStatus: status}: LooseTransaction) =>
  !lookUp(isTransferOver, readCode(status))

function formatHeadline(transaction: LooseTransaction, method: unknown): string {
  const {transactionStatus: status, expiresAt} = transaction
  if (!awaitsTransfer(transaction))
    return `Do not send money now: the transaction is ${toText(status)}. These were the instructions:`
  const methodLabel = lookUp(methodLabels, readCode(method)) ?? (method ? `by ${toText(method)}` : '')
  const deadline =
    typeof expiresAt === 'string' && expiresAt !== '' ? `until ${toText(formatMinute(expiresAt))} UTC` : ''
  // A status that the interface does not name, such as REFUNDED, may mean that the money must not be sent any more.
  const isKnown = readCode(status) === '' || lookUp(isTransferOver, readCode(status)) !== undefined
  const verb = isKnown
    ? 'Send'
    : `svc does not know the status ${toText(status)}: ask the service first whether to send`
  return [verb, toText(formatSourceAmount(transaction)), methodLabel, deadline].filter((word) => word !== '').join(' ')
}

const isCrypto = (type: unknown, method: unknown) =>
  readCode(type) === 'CRYPTO' || lookUp(methodLabels, readCode(method))?.startsWith('on ') === true

// One line per field. Known fields have a label and come first.
export function formatInstructions(instructions: unknown, transaction: LooseTransaction): unknown {
  if (!isRecord(instructions)) return instructions
  const {type, transferPaymentMethod: method, ...fields} = instructions
  const labels: Readonly<Record<string, string>> = isCrypto(type, method)
    ? {...cryptoLabels, ...fiatInstructionLabels, ...cryptoLabels}
    : fiatInstructionLabels
  const order = new Set([...Object.keys(labels), ...Object.keys(fields)])
  const lines = [...order].flatMap((field) => {
    const text = toText(fields[field])
    if (text === '') return []
    const label = lookUp(labels, field) ?? field
    return [`${label}: ${field === 'transferIban' ? groupIban(text) : text}`]
  })
  return [formatHeadline(transaction, method), ...lines]
}

// The page on which a person pays what a transaction waits for, if its transfer instructions name one.
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
