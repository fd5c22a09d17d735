// Ways in which a scripted service makes another transaction than the quote said: values for `service.alter`.
import type {Body} from './behaviour.ts'

type Alteration = (transaction: Body) => Body

const change =
  (part: 'source' | 'destination' | 'fees', values: Body): Alteration =>
  (transaction) => ({...transaction, [part]: {...(transaction[part] as Body), ...values}})

export const differences = {
  amount: change('source', {sourceAmount: '999.01'}),
  otherAmountAsNumber: change('source', {sourceAmount: 999.01}),
  sourceCurrency: change('source', {sourceCurrency: {label: 'USDT'}}),
  sourceMethod: change('source', {sourcePaymentMethod: 'BASE'}),
  destinationMethod: change('destination', {destinationPaymentMethod: 'POLYGON'}),
  feeCurrency: change('fees', {feeCurrency: {label: 'GBP'}}),
  sourceAccount: change('source', {sourcePaymentAccountId: 'another-source-account'}),
  customer: (transaction) => ({...transaction, customerId: '00000000-0000-4000-8000-0000000000ff'}),
  destinationAccount: change('destination', {destinationPaymentAccountId: 'another-destination-account'}),
  destinationCurrency: change('destination', {destinationCurrency: {label: 'EUR'}}),
  destinationAmount: change('destination', {destinationAmount: '0.07'}),
  rate: change('destination', {exchangeRate: '0.5'}),
  svcFee: change('fees', {svcFee: {feeAmount: '4.44', feeUSDAmount: '4.44'}}),
  developerFee: change('fees', {developerFee: {feeAmount: '3.33', feeUSDAmount: '3.33'}}),
} satisfies Record<string, Alteration>
