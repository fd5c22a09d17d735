// Which function answers which endpoint, and which endpoints have none.
import type {EndpointName} from '../contract/endpoints.ts'
import {createCustomer, getCustomer, listCustomers, updateCustomer} from './customers/endpoints.ts'
import type {HandlersBut} from './http/endpoint-handler.ts'
import {createRule, deleteRule, getRule, listRules, updateRule} from './rules/endpoints.ts'

export const missing = [
  'accounts.list',
  'quotes.create',
  'transactions.create',
  'transactions.list',
] as const satisfies readonly EndpointName[]

export const handlers = {
  'customers.create': createCustomer,
  'customers.list': listCustomers,
  'customers.get': getCustomer,
  'customers.update': updateCustomer,
  'rules.create': createRule,
  'rules.list': listRules,
  'rules.get': getRule,
  'rules.update': updateRule,
  'rules.delete': deleteRule,
} satisfies HandlersBut<(typeof missing)[number]>
