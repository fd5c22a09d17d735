// The hosted form of a pending bank account. It asks for what the account's rail needs; submitting it makes the account
// ACTIVE.
import {z} from 'zod'
import {isIban} from '../../values/identifiers.ts'
import {bankAccountLabels as labels} from '../../contract/labels.ts'
import type {Problem} from '../../contract/problems.ts'
import {codedText, email, text} from '../../contract/scalars.ts'
import {getCustomerRow} from '../service/customers/customer-store.ts'
import {type AccountRow, completeAccount, findAccountRowByForm} from '../service/money/accounts.ts'
import type {RequestContext} from '../service/request-context.ts'
import {createFields, type Node} from '../../forms/fields.ts'
import type {OpenHostedForm, OpenedForm, FormState} from './hosted-form.ts'
import {lookUp} from '../../values/records.ts'

// The interface shows only the mask of an account number. The names of these fields are taken from the transfer
// instructions, without their prefix "transfer" (docs/assumptions.md, F6).
const accountNumber = z.string().regex(/^[A-Za-z\d -]{4,34}$/, 'must have 4 to 34 digits or letters')

const routingWeights = [3, 7, 1]

// An ABA routing number: nine digits whose sum, weighted 3, 7, 1 in turn, is divisible by ten.
function isRoutingNumber(number: string): boolean {
  if (!/^\d{9}$/.test(number)) return false
  const sum = number
    .split('')
    .reduce((total, digit, index) => total + Number(digit) * (routingWeights[index % 3] ?? 0), 0)
  return sum % 10 === 0
}

const numbersByMethod: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  us: {
    routingNumber: z.string().refine(isRoutingNumber, 'is not a valid routing number: check its nine digits'),
    bankAccountNumber: accountNumber,
  },
  SEPA: {
    iban: z.string().refine(isIban, 'is not a valid IBAN: check its length and its digits'),
    bicSwift: z
      .string()
      .regex(/^[A-Z]{6}[A-Z\d]{2}([A-Z\d]{3})?$/i, 'must be a BIC of 8 or 11 characters, such as COBADEFFXXX')
      .optional(),
  },
  CA_INTERAC: {
    bankCode: z.string().regex(/^\d{3}$/, 'must have three digits'),
    transitNumber: z.string().regex(/^\d{5}$/, 'must have five digits'),
    bankAccountNumber: accountNumber,
  },
  IN_NEFT_RTGS_IMPS: {
    ifscCode: z.string().regex(/^[A-Z]{4}0[A-Z\d]{6}$/i, 'must be an IFSC of 11 characters, such as HDFC0000001'),
    bankAccountNumber: accountNumber,
  },
}

const root = 'externalBankAccount'

// The holder is not asked for if the account is the customer's own.
const createDetailsSchema = (method: string) =>
  z.strictObject({
    bankAccountOwnerName: text.optional(),
    bankAccountOwnerEmail: email.optional(),
    bankName: text,
    bankAccountType: codedText('CHECKING').optional(),
    ...(lookUp(numbersByMethod, method) ?? numbersByMethod['us']),
  })

const aboutSchema = z.strictObject({isThirdParty: z.boolean(), nickname: text.optional()})

const createSchema = (method: string) => aboutSchema.extend({[root]: createDetailsSchema(method)})

function createNodes(method: string, customerName: string): Node[] {
  return [
    {
      is: 'section',
      path: 'about',
      name: 'about',
      title: 'Whose account it is',
      hint: `If it is an account of ${customerName}, say no, and leave the account holder and the email address empty.`,
      nodes: createFields(aboutSchema, '', {labels}),
    },
    {
      is: 'section',
      path: root,
      name: root,
      title: 'Account details',
      nodes: createFields(createDetailsSchema(method), root, {labels}),
    },
  ]
}

interface SubmittedAccount {
  nickname?: string
  isThirdParty: boolean
  externalBankAccount: {
    bankAccountOwnerName?: string
    bankAccountOwnerEmail?: string
    bankName: string
    bankAccountType?: string
    iban?: string
    bankAccountNumber?: string
  }
}

// Somebody else has a name and an email of their own.
function findMissingOwner({isThirdParty, externalBankAccount: given}: Partial<SubmittedAccount>): Problem[] {
  if (isThirdParty !== true) return []
  return (['bankAccountOwnerName', 'bankAccountOwnerEmail'] as const)
    .filter((name) => given?.[name] === undefined)
    .map((name) => ({path: `${root}.${name}`, kind: 'missing', message: 'is required'}))
}

const maskDigits = 4

// Only the last digits of the number are stored.
function submitAccount(
  context: RequestContext,
  row: AccountRow,
  customer: {name: string; email: string},
  {nickname = row.nickname, isThirdParty, externalBankAccount: submitted}: SubmittedAccount,
) {
  const number = (submitted.iban ?? submitted.bankAccountNumber ?? '').replaceAll(/[ -]/g, '')
  const {bankName, bankAccountType} = submitted
  completeAccount(context, row, {
    nickname,
    isThirdParty,
    bank: {
      ...(bankAccountType !== undefined && {bankAccountType}),
      bankAccountOwnerName: submitted.bankAccountOwnerName ?? customer.name,
      bankAccountOwnerEmail: submitted.bankAccountOwnerEmail ?? customer.email,
      bankName,
      bankAccountMask: `****${number.slice(-maskDigits)}`,
    },
  })
}

const readyState: FormState = {
  state: 'Active',
  title: 'The bank account is ready',
  sentences: ['It can be used for payments now. There is nothing more to do, and you can close this page.'],
}

function createForm({database}: RequestContext, row: AccountRow): OpenedForm {
  const customer = getCustomerRow(database, row.customerId)
  const method = row.method ?? ''
  return {
    title: 'Add a bank account',
    intro: `This is for a ${row.currency ?? ''} account that is paid by ${method}. It can be used as soon as you send the form.`,
    submitLabel: 'Add account',
    root: '',
    nodes: createNodes(method, customer.name),
    earlier: {nickname: row.nickname},
    issues: [],
    schema: createSchema(method),
    check: (_, validPart) => findMissingOwner(validPart as Partial<SubmittedAccount>),
    accept: (context, body) => submitAccount(context, row, customer, body as SubmittedAccount),
  }
}

export const openBankAccountForm: OpenHostedForm = (context, formToken) => {
  const row = findAccountRowByForm(context.database, formToken)
  if (!row) return undefined
  return row.paymentAccountStatus === 'PENDING' ? createForm(context, row) : readyState
}
