// The compiler checks the list of handlers: a missing one is a compile error.
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../../src/contract/endpoints.ts'
import {behavioursDefault} from '../../../src/sandbox/service/faults/behaviours.ts'
import {handlers} from '../../../src/sandbox/service/handlers.ts'
import type {RequestContext} from '../../../src/sandbox/service/request-context.ts'
import type {Handlers} from '../../../src/sandbox/http/endpoint-handler.ts'
import {openSeededDatabase} from '../../../src/sandbox/sandbox.ts'
import {zoe} from './money/payments.ts'
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
    openTemporary({file})
    const database = openSeededDatabase({file})
    database.run('pragma query_only = on')
    const context = {database, formsUrl: '', now: noon.getTime(), behaviours: behavioursDefault}
    const input = {
      params: {customerId: zoe, ruleId: 'none'},
      query: {customerId: zoe, includePaymentMethods: true},
    }
    const reads = endpointEntries.filter(({endpoint}) => endpoint.method === 'GET')
    const answers = reads.map(({name}) => {
      try {
        return (handlers[name] as (context: RequestContext, input: object) => object)(context, input)
      } catch (error) {
        // One that is not there. Anything else fails, such as a write.
        expect(error).toMatchObject({error: 'NOT_FOUND'})
        return undefined
      }
    })
    expect(answers.filter(Boolean)).toHaveLength(reads.length - 1)
    database.close()
  })
})
