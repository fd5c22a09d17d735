// The hosted form of a pending bank account: what its rail needs to know. Once it is handed over the account is ACTIVE.
import {z} from 'zod'
import {isIban, isRoutingNumber} from '../../validation/bank-account.ts'
import type {Label} from '../../contract/labels.ts'
import {coded, email, text} from '../../contract/scalars.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import {findAccountRowByForm, type AccountRow} from '../money/account-store.ts'
import {completeAccount} from '../money/accounts.ts'
import type {RequestContext} from '../request-context.ts'
import {createFields, type Node} from './fields.ts'
import type {HostedForm, OpenedForm, FormState} from './hosted-form.ts'

// The interface shows the mask of an account and not how its number is given: these names are those of transfer
// instructions without their first word (docs/assumptions.md, F6).
const accountNumber = z.string().regex(/^[A-Za-z\d -]{4,34}$/, 'must have 4 to 34 digits or letters')

const numbersByMethod: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  us: {
    routingNumber: z
      .string()
      .refine(isRoutingNumber, 'is not a routing number: nine digits, the last of which checks the others'),
    bankAccountNumber: accountNumber,
  },
  SEPA: {
    iban: z.string().refine(isIban, 'is not an IBAN: check its length and its digits'),
    bicSwift: z
      .string()
      .regex(/^[A-Z]{6}[A-Z\d]{2}([A-Z\d]{3})?$/i, 'must be a BIC of 8 or 11 characters, such as COBADEFFXXX')
      .optional(),
  },
  CA_INTERAC: {
    bankCode: z.string().regex(/^\d{3}$/, 'must be the three digits of the institution'),
    transitNumber: z.string().regex(/^\d{5}$/, 'must be the five digits of the branch'),
    bankAccountNumber: accountNumber,
  },
  IN_NEFT_RTGS_IMPS: {
    ifscCode: z.string().regex(/^[A-Z]{4}0[A-Z\d]{6}$/i, 'must be an IFSC of 11 characters, such as HDFC0000001'),
    bankAccountNumber: accountNumber,
  },
}

const labels: Readonly<Record<string, Label>> = {
  bankAccountOwnerName: {label: 'Name of the owner', hint: 'As the bank has it', isNeededForApproval: true},
  bankAccountOwnerEmail: {
    label: 'Email address of the owner',
    hint: 'Such as ada@example.com',
    isNeededForApproval: true,
  },
  bankName: {label: 'Name of the bank', isNeededForApproval: true},
  bankAccountType: {label: 'Kind of account'},
  routingNumber: {label: 'Routing number', hint: 'Nine digits, such as 021000021', isNeededForApproval: true},
  bankAccountNumber: {label: 'Account number', hint: '4 to 34 digits or letters', isNeededForApproval: true},
  iban: {label: 'IBAN', hint: 'Such as DE89 3704 0044 0532 0130 00', isNeededForApproval: true},
  bicSwift: {label: 'BIC', hint: '8 or 11 characters, such as COBADEFFXXX'},
  bankCode: {label: 'Institution number', hint: 'Three digits', isNeededForApproval: true},
  transitNumber: {label: 'Transit number', hint: 'Five digits', isNeededForApproval: true},
  ifscCode: {label: 'IFSC', hint: '11 characters, such as HDFC0000001', isNeededForApproval: true},
  nickname: {label: 'Name for this account', hint: 'To tell it from others'},
  isThirdParty: {label: 'Does the account belong to somebody else?'},
}

const root = 'externalBankAccount'

const createDetailsSchema = (method: string) =>
  z.strictObject({
    bankAccountOwnerName: text,
    bankAccountOwnerEmail: email,
    bankName: text,
    bankAccountType: coded('CHECKING').optional(),
    ...(numbersByMethod[method] ?? numbersByMethod['us']),
  })

const aboutSchema = z.strictObject({nickname: text.optional(), isThirdParty: z.boolean().optional()})

const createSchema = (method: string) => aboutSchema.extend({[root]: createDetailsSchema(method)})

function createNodes(method: string): Node[] {
  return [
    {
      is: 'section',
      title: 'The account',
      nodes: Object.values(createFields(createDetailsSchema(method), root, labels)),
    },
    {is: 'section', title: 'About it', nodes: Object.values(createFields(aboutSchema, '', labels))},
  ]
}

interface SubmittedAccount {
  nickname?: string
  isThirdParty?: boolean
  externalBankAccount: {
    bankAccountOwnerName: string
    bankAccountOwnerEmail: string
    bankName: string
    bankAccountType?: string
    iban?: string
    bankAccountNumber?: string
  }
}

const maskDigits = 4

// The number itself is not kept: nothing but its end is ever shown.
function submitAccount(
  context: RequestContext,
  formToken: string,
  {nickname, isThirdParty, externalBankAccount: submitted}: SubmittedAccount,
) {
  const number = (submitted.iban ?? submitted.bankAccountNumber ?? '').replaceAll(/[ -]/g, '')
  const {bankAccountOwnerName, bankAccountOwnerEmail, bankName, bankAccountType} = submitted
  completeAccount(context, formToken, {
    nickname,
    isThirdParty,
    bank: {
      ...(bankAccountType !== undefined && {bankAccountType}),
      bankAccountOwnerName,
      bankAccountOwnerEmail,
      bankName,
      bankAccountMask: `****${number.slice(-maskDigits)}`,
    },
  })
}

const readyState: FormState = {
  state: 'Active',
  title: 'The bank account is ready',
  sentences: ['It can be used for payments. There is nothing left to do here, and you can close this page.'],
}

function createForm({database}: RequestContext, row: AccountRow, formToken: string): OpenedForm {
  const {name, email: customerEmail} = getCustomerRow(database, row.customerId)
  const method = row.method ?? ''
  return {
    title: 'Add your bank account',
    intro: `It is reached by ${method} and holds ${row.currency ?? ''}. As soon as this is sent, the account can be used.`,
    submitLabel: 'Add the account',
    root: '',
    nodes: createNodes(method),
    earlier: {
      nickname: row.nickname,
      externalBankAccount: {bankAccountOwnerName: name, bankAccountOwnerEmail: customerEmail},
    },
    issues: [],
    schema: createSchema(method),
    accept: (context, body) => submitAccount(context, formToken, body as SubmittedAccount),
  }
}

export const bankAccountForm: HostedForm = {
  open(context, formToken) {
    const row = findAccountRowByForm(context.database, formToken)
    if (!row) return undefined
    return row.paymentAccountStatus === 'PENDING' ? createForm(context, row, formToken) : readyState
  },
  nodes(context, formToken) {
    return createNodes(findAccountRowByForm(context.database, formToken)?.method ?? '')
  },
}
