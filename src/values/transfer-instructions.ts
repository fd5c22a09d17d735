// What a person has to know to send the money that a transaction waits for: by which method, to where, and whether to send it at all.
import {hasFinalStatus, readCode} from '../contract/loose.ts'
import {cryptoMethods, fiatInstructionLabels} from '../contract/vocabulary.ts'
import {lookUp, readText} from './records.ts'

// What people call a payment method, where its code is not that.
const methodNames: Readonly<Record<string, string>> = {
  WIRE: 'wire',
  CA_INTERAC: 'Interac',
  IN_NEFT_RTGS_IMPS: 'NEFT/RTGS/IMPS',
}

const isChain = (method: unknown) => cryptoMethods.some((chain) => chain === readCode(method))

// Such as: by ACH, or on BASE. Empty without a method.
export function describeMethod(method: unknown): string {
  const text = readText(method).trim()
  if (text === '') return ''
  return isChain(text) ? `on ${readCode(text)}` : `by ${lookUp(methodNames, readCode(text)) ?? text}`
}

// Services keep the instructions after the transfer. They must not make anybody send the money again.
const statusesBefore: ReadonlySet<string> = new Set(['', 'CREATED', 'AWAITING_TRANSFER'])

// In a status that the interface does not name, such as REFUNDED, the money may have to stay where it is: the service has to be asked.
export function adviseTransfer(status: unknown): 'send' | 'ask' | 'over' {
  const code = readCode(status)
  if (statusesBefore.has(code)) return 'send'
  return code === 'PROCESSING' || hasFinalStatus({transactionStatus: code}) ? 'over' : 'ask'
}

// The interface does not show crypto instructions. These are the fields of the sandbox (docs/assumptions.md, M11).
const cryptoLabels = {transferAddress: 'To address', transferMessage: 'Message'}

// Groups of four characters are easier to copy.
const groupIban = (iban: string) =>
  iban
    .replaceAll(/\s/g, '')
    .replaceAll(/(.{4})/g, '$1 ')
    .trimEnd()

// Each field with its label, those that are known first, in the order in which a sender needs them. The method is not among them.
export function listInstructions(
  instructions: Readonly<Record<string, unknown>>,
): Array<[label: string, value: unknown]> {
  const {type, transferPaymentMethod: method, ...fields} = instructions
  const labels: Readonly<Record<string, string>> =
    readCode(type) === 'CRYPTO' || isChain(method)
      ? {...cryptoLabels, ...fiatInstructionLabels, ...cryptoLabels}
      : fiatInstructionLabels
  const order = new Set([...Object.keys(labels), ...Object.keys(fields)])
  return [...order].flatMap((field) => {
    const value = fields[field]
    if (value === undefined || value === null || value === '') return []
    const shown = field === 'transferIban' && typeof value === 'string' ? groupIban(value) : value
    return [[lookUp(labels, field) ?? field, shown] as [string, unknown]]
  })
}
