// The fields of a payment that people approve: its key, its content and its limits, whatever their
// spelling. A field that is missing here is neither signed nor shown.
import type {NameAccount} from '../../accounts/parties.ts'
import {
  type ShownField,
  type ShownItem,
  createField,
  describeField,
  digestItem,
  listFields,
  showAmount,
  showMethod,
  showText,
} from '../../controls/approvable.ts'
import {type ApprovalSubject, digestParts} from '../../controls/statement.ts'
import {normalizeAmount} from '../../values/money.ts'
import type {PaymentContent, PriceLimits} from '../protocol/payment.ts'
import type {Plan} from '../pay/plan.ts'

type Money = readonly [amount: string, currency: string]

const showMoney = ([amount, currency]: Money) => `${showAmount(amount)} ${showText(currency)}`

const toMoney = (amount: string | undefined, currency: string): Money | undefined =>
  amount === undefined ? undefined : [normalizeAmount(amount), currency.toUpperCase()]

// A currency with its method, such as USD by ACH or USDC on BASE.
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

const toDeveloperFee = ({developerFee: fee}: PaymentContent): Money | undefined =>
  fee && [normalizeAmount(fee.developerFeeAmount), fee.developerFeeType]

function listPaymentFields({key, content, limits, isGuaranteed}: Plan, nameAccount?: NameAccount): ShownField[] {
  const {customerId, source, destination, receive} = content
  const {sourceCurrency, sourcePaymentAccountId: payer} = source
  const {destinationCurrency, destinationPaymentAccountId: payee} = destination
  // A payment that says what is to arrive shows no amount to send, which is found when it is paid.
  const [amount, sentMax, receivedMin] =
    receive === undefined
      ? [source.sourceAmount, undefined, limits.receivedMin]
      : [undefined, limits.sentMax, undefined]

  return listFields([
    createField('Key', key, showKey),
    createField('Amount', toMoney(amount, sourceCurrency), showMoney),
    createField('Receives', toMoney(receive, destinationCurrency), showMoney),
    createField('Max sent', toMoney(sentMax, sourceCurrency), showMoney),
    createField('To', payee, showText, nameAccount?.(customerId, payee)),
    createField('Arrives as', [destinationCurrency.toUpperCase(), destination.destinationPaymentMethod], showRoute),
    createField('From', payer, showText, nameAccount?.(customerId, payer)),
    createField('Sent', source.sourcePaymentMethod, showMethod),
    createField('Customer', customerId.toLowerCase(), showText),
    createField('Your fee', toDeveloperFee(content), showDeveloperFee),
    createField('Max fee', toFeeMax(limits, sourceCurrency), showFeeMax),
    createField('Min rate', limits.rateMin && normalizeAmount(limits.rateMin)),
    createField('Min received', toMoney(receivedMin, destinationCurrency), showMoney),
    createField('Guaranteed', isGuaranteed || undefined, () => 'yes'),
  ])
}

// A payee in one line, such as: Zoë Ångström, Example Bank ****2169, USD by ACH, e6086267
export function describePayee({content: {customerId, destination}}: Plan, nameAccount: NameAccount): string {
  const {destinationPaymentAccountId: id, destinationCurrency, destinationPaymentMethod} = destination
  const route = showRoute([destinationCurrency.toUpperCase(), destinationPaymentMethod])
  return describeField({about: nameAccount(customerId, id), text: `${route}, ${showText(id)}`})
}

// The fields are made whenever somebody reads them: a file may have a million rows.
export const createPaymentItem = (payment: Plan, nameAccount?: NameAccount): ShownItem => ({
  get fields() {
    return listPaymentFields(payment, nameAccount)
  },
})

export const digestPayment = (payment: Plan): Buffer => digestItem(createPaymentItem(payment))

export const createPaymentSubject = (serviceId: string, payment: Plan): ApprovalSubject => ({
  kind: 'payment',
  serviceId,
  digest: digestParts([digestPayment(payment)]),
})

// The subject of a file or a batch is its rows, in any order.
export const createPayoutsSubject = (serviceId: string, rows: readonly Plan[]): ApprovalSubject => ({
  kind: 'payouts',
  serviceId,
  digest: digestParts(rows.map(digestPayment)),
})
