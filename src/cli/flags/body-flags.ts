// Flags for request bodies: a file, single fields, amounts, and the source and destination of money.
import * as Flags from '@oclif/core/flags'
import {amountPattern, cryptoMethods, developerFeeTypes, fiatMethods} from '../../contract/vocabulary.ts'
import {badUsage} from '../../errors.ts'

export const bodyFlags = {
  file: Flags.string({
    char: 'f',
    summary: 'Body in a file, JSON or YAML (- for standard input)',
    helpValue: 'FILE',
  }),
  set: Flags.string({
    summary: 'Set a field: path=value, or path:=JSON',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'PATH=VALUE',
  }),
  'dry-run': Flags.boolean({summary: 'Validate and print the request only', env: 'SVC_DRY_RUN'}),
}

// Overrides what svc checks beyond the interface.
export const acceptWarningsFlag = Flags.boolean({
  summary: 'Send it despite warnings',
})

// For a body that is checked before it is sent.
export const checkedBodyFlags = {
  ...bodyFlags,
  'accept-warnings': acceptWarningsFlag,
  'allow-unknown-fields': Flags.boolean({summary: 'Send fields that the interface lacks'}),
}

export const noDraftFlag = Flags.boolean({
  summary: 'Keep no draft of the answers',
})

export const yesFlag = Flags.boolean({summary: 'Skip confirmation, also on a live profile'})

// Amounts stay decimal text from the flag to the request.
const parseDecimal = async (text: string, _: unknown, {name}: {name: string}) => {
  if (amountPattern.test(text)) return text
  const hint = 'Write digits with a decimal point, such as 120.50'
  if (text.startsWith('-')) throw badUsage(`--${name} "${text}" is negative`, `${hint}, without a sign`)
  throw badUsage(`--${name} "${text}" is not a decimal number`, hint)
}

export const amountFlag = (summary: string, helpValue = 'AMOUNT') =>
  Flags.custom({summary, helpValue, parse: parseDecimal})()

const methodFlag = (summary: string) =>
  Flags.option({summary, helpValue: 'METHOD', options: [...fiatMethods, ...cryptoMethods]})()

const currencyFlag = (summary: string) => Flags.string({summary, helpValue: 'LABEL'})

// The source and the destination of a payment.
export const routeFlags = {
  from: Flags.string({summary: 'Payment account to pay from', helpValue: 'ACCOUNT'}),
  'from-currency': currencyFlag('Currency to pay in, of several'),
  'from-method': methodFlag('Method of the source, of several'),
  to: Flags.string({summary: 'Payment account of the same customer to pay to', helpValue: 'ACCOUNT'}),
  'to-currency': currencyFlag('Currency to receive, of several'),
  'to-method': methodFlag('Method of the destination, of several'),
}

export const developerFeeFlags = {
  'developer-fee': amountFlag('Your own fee, which the service deducts'),
  'developer-fee-type': Flags.option({
    summary: 'Currency of the developer fee (SOURCE_CURRENCY)',
    options: developerFeeTypes,
  })(),
}
