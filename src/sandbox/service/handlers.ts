// Which function handles which endpoint. A missing one is a compile error.
import {createCustomer, getCustomer, listCustomers, updateCustomer} from './customers/endpoints.ts'
import type {EndpointName} from '../../contract/endpoints.ts'
import type {Handlers} from '../http/endpoint-handler.ts'
import {listAccounts} from './money/accounts.ts'
import {createQuote} from './money/quotes.ts'
import {createTransaction, listTransactions} from './money/transactions.ts'
import type {RequestContext} from './request-context.ts'
import {createRule, deleteRule, getRule, listRules, updateRule} from './rules/endpoints.ts'

const handlers = {
  'customers.create': createCustomer,
  'customers.list': listCustomers,
  'customers.get': getCustomer,
  'customers.update': updateCustomer,
  'accounts.list': listAccounts,
  'quotes.create': createQuote,
  'transactions.create': createTransaction,
  'transactions.list': listTransactions,
  'rules.create': createRule,
  'rules.list': listRules,
  'rules.get': getRule,
  'rules.update': updateRule,
  'rules.delete': deleteRule,
} satisfies Handlers

// For callers that only know the name of an endpoint, and have validated its input.
export const getHandler = (name: EndpointName) => handlers[name] as (context: RequestContext, input: unknown) => object
