// The compiler checks the list of handlers: a missing one is a compile error.
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../../src/contract/endpoints.ts'
import {behavioursDefault} from '../../../src/sandbox/service/faults/behaviours.ts'
import {handlers} from '../../../src/sandbox/service/handlers.ts'
import type {Handlers} from '../../../src/sandbox/http/endpoint-handler.ts'
import {openSeededDatabase} from '../../../src/sandbox/sandbox.ts'
import {findAccountEnds, zoe} from './money/payments.ts'
import {noon, openTemporary, temporaryFile} from '../open.ts'

describe('the list of handlers', () => {
  it('only compiles if every endpoint has a handler', () => {
    const {'rules.delete': _, ...others} = handlers
    // @ts-expect-error: rules.delete has no handler.
    const forgotten: Handlers = others
    expect(Object.keys(forgotten)).toHaveLength(endpointEntries.length - 1)
    expect(Object.keys(handlers).toSorted()).toEqual(endpointEntries.map(({name}) => name).toSorted())
  })

  it('writes nothing for a GET, which runs without the lock of a writer', () => {
    const file = temporaryFile()
    const {wallet} = findAccountEnds(openTemporary({file}))
    const database = openSeededDatabase({file})
    database.run('pragma query_only = on')
    const context = {database, formsUrl: '', now: noon.getTime(), behaviours: behavioursDefault}
    const query = {customerId: zoe}
    const reads = {
      'customers.list': () => handlers['customers.list'](context, {query: {}}),
      'customers.get': () => handlers['customers.get'](context, {params: query, query: {includePaymentMethods: true}}),
      'accounts.list': () => handlers['accounts.list'](context, {query}),
      'transactions.list': () => handlers['transactions.list'](context, {query: {paymentAccountId: wallet.id}}),
      'rules.list': () => handlers['rules.list'](context, {query}),
      'rules.get': () => expect(() => handlers['rules.get'](context, {params: {ruleId: 'r'}})).toThrow('no automation'),
    }
    const names = endpointEntries.filter(({endpoint}) => endpoint.method === 'GET').map(({name}) => name)
    expect(Object.keys(reads).toSorted(), 'every GET needs a line in `reads`').toEqual(names.toSorted())
    for (const read of Object.values(reads)) read()
    database.close()
  })
})
