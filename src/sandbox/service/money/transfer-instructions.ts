// Transfer instructions: where a customer sends money, by rail or network.
import {deriveDigest} from '../../store/ids.ts'
import {createChainAddress} from './addresses.ts'
import {type FiatMethod, isFiat, type PaymentMethod} from './currencies.ts'
import type {Transaction} from './transitions.ts'

type Instructions = NonNullable<Transaction['transferInstructions']>

const beneficiary = 'Svc Sandbox Settlement'

// Invented banks. The numbers are from ranges that are not assigned.
const byRail: Readonly<Record<FiatMethod, Omit<Instructions, 'type'>>> = {
  ACH: {
    transferBankName: 'First Harbour Bank',
    transferRoutingNumber: '990000012',
    transferBankBeneficiaryName: beneficiary,
  },
  WIRE: {
    transferBankName: 'First Harbour Bank',
    transferBankAddress: '1 Quay Street, Springfield, IL 62701, US',
    transferRoutingNumber: '990000012',
    transferBicSwift: 'FHRBUS00XXX',
    transferBankBeneficiaryName: beneficiary,
  },
  SEPA: {
    transferBankName: 'Nordhafen Bank AG',
    transferBankAddress: 'Kaistrasse 1, 20000 Hamburg, DE',
    transferIban: 'DE75512108001245126199',
    transferBicSwift: 'NOHADE00XXX',
    transferBankBeneficiaryName: beneficiary,
  },
  CA_INTERAC: {transferBankBeneficiaryName: beneficiary},
  IN_NEFT_RTGS_IMPS: {
    transferBankName: 'Sahyadri Co-operative Bank',
    transferIfscCode: 'SAHY0000001',
    transferBankBeneficiaryName: beneficiary,
  },
}

// Rails on which each transaction has its own account number.
const accountDigits: Readonly<Partial<Record<FiatMethod, number>>> = {ACH: 10, WIRE: 10, IN_NEFT_RTGS_IMPS: 12}

const interacPage = 'https://interac.sandbox.invalid/deposits'

function createAccountNumber(digest: string, digits: number): string {
  return String(BigInt(`0x${digest}`)).slice(-digits)
}

function createFiatInstructions(method: FiatMethod, digest: string): Instructions {
  const digits = accountDigits[method]
  return {
    type: 'fiat',
    transferPaymentMethod: method,
    transferMessage: `SVC${digest.slice(0, 10).toUpperCase()}`,
    ...byRail[method],
    ...(digits !== undefined && {transferBankAccountNumber: createAccountNumber(digest, digits)}),
    ...(method === 'CA_INTERAC' && {transferPaymentLink: `${interacPage}/${digest.slice(0, 24)}`}),
  }
}

// The interface does not show the fields of a crypto transfer. An address to send to is assumed.
export function createTransferInstructions(method: PaymentMethod, transactionId: string, sum: string): Instructions {
  const digest = deriveDigest('instructions', transactionId)
  if (isFiat(method)) return createFiatInstructions(method, digest)
  return {
    type: 'crypto',
    transferPaymentMethod: method,
    transferMessage: `Send exactly ${sum} on ${method}`,
    transferAddress: createChainAddress(method, digest),
  }
}
