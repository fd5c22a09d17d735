// Transfer instructions as a person needs them at the bank's counter: what to send, where to, by when, under which reference.
import type {cryptoMethods, fiatMethods} from '../contract/methods.ts'
import {fiatInstructionLabels} from '../contract/transfer-instructions.ts'
import type {transactionStatuses} from '../contract/transactions.ts'
import {toText} from '../cli/output/view.ts'
import {type Item, formatTransferAmount, formatMinute} from '../cli/output/format-values.ts'

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

// Services keep the instructions for life. Whoever reads them after the money went must not send it again.
const isTransferOver: Readonly<Record<(typeof transactionStatuses)[number], boolean>> = {
  CREATED: false,
  AWAITING_TRANSFER: false,
  PROCESSING: true,
  COMPLETED: true,
  FAILED: true,
  CANCELLED: true,
  EXPIRED: true,
}

// The interface does not show the fields of crypto instructions; this one is the sandbox's (docs/assumptions.md, M11).
const cryptoLabels = {transferAddress: 'To address', transferMessage: 'Message'}

// An IBAN is printed in groups of four, which is how people copy it without a slip.
const groupIban = (iban: string) =>
  iban
    .replaceAll(/\s/g, '')
    .replaceAll(/(.{4})/g, '$1 ')
    .trimEnd()

const lookUp = <V>(table: Readonly<Record<string, V>>, key: unknown): V | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined

// In a status that is not known, the instructions are taken at their word.
export const awaitsTransfer = ({transactionStatus: status}: Item) => !lookUp(isTransferOver, status)

function formatHeadline(transaction: Item, method: unknown): string {
  const {transactionStatus: status, expiresAt} = transaction
  if (!awaitsTransfer(transaction)) return `Send nothing now, it is ${toText(status)}; these were the instructions:`
  const way = lookUp(methodLabels, method) ?? (method ? `by ${toText(method)}` : '')
  const deadline =
    typeof expiresAt === 'string' && expiresAt !== '' ? `until ${toText(formatMinute(expiresAt))} UTC` : ''
  return ['Send', toText(formatTransferAmount(transaction, 'source')), way, deadline]
    .filter((word) => word !== '')
    .join(' ')
}

const isCrypto = (type: unknown, method: unknown) =>
  type === 'crypto' || lookUp(methodLabels, method)?.startsWith('on ') === true

// A line for each field: those that are known under their usual names and in a useful order, others as they are.
export function formatInstructions(instructions: unknown, transaction: Item): unknown {
  if (typeof instructions !== 'object' || instructions === null || Array.isArray(instructions)) return instructions
  const {type, transferPaymentMethod: method, ...fields} = instructions as Item
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
