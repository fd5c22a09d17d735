// The list of handlers is held by the compiler: forgetting one must not compile.
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {handlers} from '../../src/sandbox/handlers.ts'
import type {Handlers} from '../../src/sandbox/http/endpoint-handler.ts'

describe('the list of handlers', () => {
  it('compiles only when every endpoint is answered', () => {
    const {'rules.delete': _, ...others} = handlers
    // @ts-expect-error: rules.delete is not answered.
    const forgotten: Handlers = others
    expect(Object.keys(forgotten)).toHaveLength(endpointEntries.length - 1)
    expect(Object.keys(handlers).toSorted()).toEqual(endpointEntries.map(({name}) => name).toSorted())
  })
})
