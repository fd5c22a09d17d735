// The fields of a payment that people approve. A field that is missing here is neither signed nor shown.
import type {NameAccount} from '../../accounts/account-names.ts'
import {
  type ShownField,
  type ShownItem,
  createField,
  createMark,
  describeField,
  listFields,
  showAmount,
  showText,
} from '../../controls/fields.ts'
import {fiatMethods} from '../../contract/vocabulary.ts'
import {normalizeAmount} from '../../values/money.ts'
import type {Plan} from './plan.ts'
import {type PaymentContent, type PriceLimits, listUnknownFields, toComparableText} from '../protocol/payment.ts'

type Money = readonly [amount: string, currency: string]

const showMoney = ([amount, currency]: Money) => `${showAmount(amount)} ${showText(currency)}`

const toMoney = (amount: string | undefined, currency: string): Money | undefined =>
  amount === undefined ? undefined : [normalizeAmount(amount), currency.toUpperCase()]

const showMethod = (method: string) =>
  `${fiatMethods.some((fiat) => fiat === method) ? 'by' : 'on'} ${showText(method)}`

// Such as: USD by ACH, or USDC on BASE.
const showRoute = ([currency, method]: readonly [string, string]) => `${showText(currency)} ${showMethod(method)}`

const showKey = (key: string) => (key.includes('{') ? `${showText(key)}, once for each of its dates` : showText(key))

function toFeeMax({feeMax}: PriceLimits, currency: string): Money | undefined {
  if (!feeMax) return undefined
  return 'percent' in feeMax ? [normalizeAmount(feeMax.percent), '%'] : toMoney(feeMax.amount, currency)
}

const showFeeMax = (feeMax: Money) => (feeMax[1] === '%' ? `${showText(feeMax[0])}%` : showMoney(feeMax))

// A fee of the type SOURCE_CURRENCY is in the currency that is paid.
const showDeveloperFee = ([amount, type]: Money) =>
  type === 'SOURCE_CURRENCY' ? `${showAmount(amount)} of what is paid` : showMoney([amount, type])

function toDeveloperFee({developerFee}: PaymentContent): Money | undefined {
  return developerFee && [normalizeAmount(developerFee.developerFeeAmount), developerFee.developerFeeType]
}

// Fields that the interface does not have, such as a memo.
const listOtherFields = (content: PaymentContent) =>
  Object.entries(listUnknownFields(content)).map(([path, value]) =>
    createField(`Field ${showText(path)}`, toComparableText(value)),
  )

export function listPaymentFields({key, content, limits, isGuaranteed}: Plan, nameAccount?: NameAccount): ShownField[] {
  const {customerId, source, destination, receive} = content
  const {sourceCurrency, sourcePaymentAccountId: payer} = source
  const {destinationCurrency, destinationPaymentAccountId: payee} = destination
  return listFields([
    createField('Key', key, showKey),
    // What is to arrive stands for the amount, which is found when it is paid.
    ...(receive === undefined
      ? [createField('Amount', toMoney(source.sourceAmount, sourceCurrency), showMoney)]
      : [
          createField('Receives', toMoney(receive, destinationCurrency), showMoney),
          createField('Max sent', toMoney(limits.sentMax, sourceCurrency), showMoney),
        ]),
    createField('To', payee, showText, {about: nameAccount?.(customerId, payee)}),
    createField('Arrives as', [destinationCurrency.toUpperCase(), destination.destinationPaymentMethod], showRoute),
    createField('From', payer, showText, {about: nameAccount?.(customerId, payer)}),
    createField('Sent', source.sourcePaymentMethod, showMethod),
    createField('Customer', customerId.toLowerCase(), showText),
    createField('Your fee', toDeveloperFee(content), showDeveloperFee),
    createField('Max fee', toFeeMax(limits, sourceCurrency), showFeeMax),
    createField('Min rate', limits.rateMin && normalizeAmount(limits.rateMin)),
    createField(
      'Min received',
      receive === undefined ? toMoney(limits.receivedMin, destinationCurrency) : undefined,
      showMoney,
    ),
    createMark('Guaranteed', isGuaranteed),
    ...listOtherFields(content),
  ])
}

// Such as: Zoë Ångström, Example Bank ****2169, USD by ACH, e6086267
export function describePayee(content: PaymentContent, nameAccount: NameAccount): string {
  const {destinationPaymentAccountId: id, destinationCurrency, destinationPaymentMethod} = content.destination
  const route = showRoute([destinationCurrency.toUpperCase(), destinationPaymentMethod])
  return describeField({about: nameAccount(content.customerId, id), text: `${route}, ${showText(id)}`})
}

// The fields are made whenever somebody reads them: a file may have a million rows.
export const createPaymentItem = (payment: Plan, nameAccount?: NameAccount): ShownItem => ({
  get fields() {
    return listPaymentFields(payment, nameAccount)
  },
})
