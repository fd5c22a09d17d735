// What a shell can offer after a flag or as an argument: a table from their names to values, whatever commands there are.
import type {Command} from '@oclif/core'
import {listEnumValues} from '../../contract/enum-values.ts'

// Fixed values, or the name of a list that changes and is asked for at the moment it is needed.
export type ValueSource = readonly string[] | 'profiles' | 'files'

const methods = listEnumValues('Customer', 'availablePaymentMethods')

// The interface has no list of currencies: these are the ones its rails and networks carry (docs/assumptions.md, M1).
const currencies = ['CAD', 'EUR', 'INR', 'USD', 'USDC', 'USDT']

const verbs = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

const valueSources: Readonly<Record<string, ValueSource>> = {
  '--profile': 'profiles',
  '--method': methods,
  // There the method is that of a request.
  'sandbox --method': verbs,
  '--from-method': methods,
  '--to-method': methods,
  '--currency': currencies,
  '--from-currency': currencies,
  '--to-currency': currencies,
  'customers --status': listEnumValues('Customer', 'customerStatus'),
  'customers --type': listEnumValues('Customer', 'customerType'),
  'accounts --status': listEnumValues('PaymentAccount', 'paymentAccountStatus'),
  'accounts --type': listEnumValues('PaymentAccount', 'paymentAccountType'),
  'transactions --status': listEnumValues('Transaction', 'transactionStatus'),
  'profiles NAME': 'profiles',
  'codes CODE': listEnumValues('VerificationIssue', 'code'),
  'api METHOD': verbs,
}

const findSource = (key: string): ValueSource | undefined =>
  Object.hasOwn(valueSources, key) ? valueSources[key] : undefined

// What a command says of itself comes first, then what is known for its topic, then what is known everywhere.
export function findFlagValues(id: string, flag: Command.Flag.Cached): ValueSource | undefined {
  if (flag.type !== 'option') return undefined
  if (flag.options) return flag.options
  const [topic = ''] = id.split(':')
  const isFile = 'helpValue' in flag && flag.helpValue === 'FILE'
  return findSource(`${topic} --${flag.name}`) ?? findSource(`--${flag.name}`) ?? (isFile ? 'files' : undefined)
}

// The first argument is the only one that has values to choose from.
export function findArgumentValues({id, args}: Command.Cached): ValueSource | undefined {
  const [first] = Object.values(args)
  if (!first) return undefined
  return first.options ?? findSource(`${id.split(':')[0]} ${first.name.toUpperCase()}`)
}
