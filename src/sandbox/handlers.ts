// Which function answers which endpoint, and which endpoints have none.
import type {EndpointName} from '../contract/endpoints.ts'
import {createCustomer, getCustomer, listCustomers, updateCustomer} from './customers/endpoints.ts'
import type {HandlersBut} from './http/endpoint-handler.ts'

export const missing = [
  'accounts.list',
  'quotes.create',
  'transactions.create',
  'transactions.list',
  'rules.create',
  'rules.list',
  'rules.get',
  'rules.update',
  'rules.delete',
] as const satisfies readonly EndpointName[]

export const handlers = {
  'customers.create': createCustomer,
  'customers.list': listCustomers,
  'customers.get': getCustomer,
  'customers.update': updateCustomer,
} satisfies HandlersBut<(typeof missing)[number]>
