// The scalar types of the interface: identifiers, timestamps, amounts, codes.
import {z} from 'zod'
import {amountPattern, cryptoMethods, dateMessage, fiatMethods} from './vocabulary.ts'

// Any UUID version is valid: the interface says only "UUID format".
export const uuid = z.guid('must be a UUID').meta({format: 'uuid', pattern: undefined})

// Ids of quotes, rules and payment accounts are opaque, so any non-empty string is valid.
export const opaqueId = z.string().min(1, 'must not be empty')

export const timestamp = z.iso
  .datetime({offset: true, error: 'must be an ISO 8601 date and time in UTC, such as 2026-11-15T09:00:00Z'})
  .meta({pattern: undefined})

export const date = z.iso.date(dateMessage).meta({pattern: undefined, examples: ['1990-04-23']})

const signedAmount = /^[-+−]\s*\d[\d.,]*$/

const describeWrongAmount = ({input}: {input?: unknown}) =>
  signedAmount.test(String(input))
    ? 'must be a decimal number without a sign, such as 120.50'
    : 'must be a decimal number, such as 120.50'

// An amount in a request is text, because a JSON number could be rounded.
export const amount = z
  .string('must be a decimal number in quotes, such as "120.50"')
  .regex(amountPattern, {error: describeWrongAmount, abort: true})
  .meta({examples: ['120.50']})

// An amount in a reply may have other forms than svc sends, such as a sign.
export const replyAmount = z.string().meta({examples: ['120.50']})

export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 country code, such as US')
  .meta({examples: ['US']})

export const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 format, such as +15551234567')
  .meta({examples: ['+15551234567']})

// The form that HTML gives it, with letters of any alphabet.
const emailName = String.raw`[a-zA-Z0-9\u0080-\uffff](?:[a-zA-Z0-9\u0080-\uffff-]{0,61}[a-zA-Z0-9\u0080-\uffff])?`
// Blanks, control characters and others that nobody sees, which are copied along with an address.
const hidden = String.raw`[\s\u0080-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]`
const emailPattern = new RegExp(
  String.raw`^(?!.*${hidden})[a-zA-Z0-9.!#$%&'*+/=?^_${'`'}{|}~\u0080-\uffff-]+@${emailName}(?:\.${emailName})*$`,
)

// The format "email" has ASCII alone.
export const email = z
  .email({pattern: emailPattern, error: 'must be an email address, such as ada@example.com'})
  .meta({format: 'idn-email'})

// The form that nearly all addresses have.
export const usualEmail = z.email()

// A pattern says the same in the OpenAPI document, whose format "uri" has no international names.
export const url = z
  .string()
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#]+([/?#].*)?$/, 'must be an http or https URL')
  .meta({examples: ['https://example.com']})

export const dataUri = z
  .string()
  // Without the flag `i`, which a pattern of the OpenAPI document cannot have.
  .regex(
    /^[Dd][Aa][Tt][Aa]:[A-Za-z0-9.+-]+\/[A-Za-z0-9.+-]+;[Bb][Aa][Ss][Ee]64,/,
    'must be a base64 data URI, data:<mime-type>;base64,…',
  )

export const text = z.string().min(1, 'must not be empty')

// A coded field of which the interface shows only some values. Those are suggested, and any other is valid too.
export const codedText = (...valuesSeen: string[]) =>
  z.string().min(1, 'must not be empty').meta({examples: valuesSeen, 'x-values-seen': valuesSeen})

// The schemas of payment methods, currencies and fees, which the other entities share.
export const fiatMethod = z.enum(fiatMethods)
export const paymentMethod = z.enum([...fiatMethods, ...cryptoMethods])

// Replies carry this object; requests carry only the label.
export const currency = z
  .object({
    label: z.string().describe('Currency code: fiat such as USD or EUR, crypto such as USDC'),
    chain: z.string().optional().describe('Crypto network name; crypto only'),
    contractAddress: z.string().optional().describe('Token contract address; crypto only'),
    currencyDecimals: z.int().optional().describe('Decimal places of the token; crypto only'),
  })
  .meta({id: 'Currency'})

const fee = z.object({feeAmount: replyAmount, feeUSDAmount: replyAmount}).meta({id: 'Fee'})

export const fees = z
  .object({
    feeCurrency: currency.describe('Currency of the fees: the source currency'),
    svcFee: fee,
    // The interface does not require it, and a service may leave it out if none was asked for.
    developerFee: fee.optional(),
  })
  .meta({id: 'Fees'})
