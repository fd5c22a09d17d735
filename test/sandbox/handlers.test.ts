// The compiler checks the list of handlers: a missing one is a compile error.
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {handlers} from '../../src/sandbox/handlers.ts'
import type {Handlers} from '../../src/sandbox/http/endpoint-handler.ts'

describe('the list of handlers', () => {
  it('only compiles if every endpoint has a handler', () => {
    const {'rules.delete': _, ...others} = handlers
    // @ts-expect-error: rules.delete has no handler.
    const forgotten: Handlers = others
    expect(Object.keys(forgotten)).toHaveLength(endpointEntries.length - 1)
    expect(Object.keys(handlers).toSorted()).toEqual(endpointEntries.map(({name}) => name).toSorted())
  })
})
