// Runs every operation of control with the inputs of its definition, and holds each result against the schema of the OpenAPI
// document.
import {describe, expect, it} from 'vitest'
import {createCall} from '../../../src/sandbox/operations/call.ts'
import {getOperation, operationNames} from '../../../src/sandbox/operations/operations.ts'
import {createInputSchema, createOutputSchema} from '../../../src/sandbox/operations/schema-kit.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createCustomer, dumpTables, openTemporary, requestTo, temporaryFile} from '../open.ts'
import {listInputs} from './inputs.ts'

// What {name} in an example stands for: the last field of that name in a result.
class Known {
  readonly #texts = new Map<string, string>()

  add(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string') this.#texts.set(name, inner)
      else this.add(inner)
    }
  }

  fillIn = (example: object): unknown =>
    JSON.parse(JSON.stringify(example), (_, value: unknown) => {
      const [, name] = /^\{(\w+)\}$/.exec(typeof value === 'string' ? value : '') ?? []
      return name === undefined ? value : this.#texts.get(name)
    })
}

// Before each operation, since an earlier one may have removed everything: a request, an endpoint,
// and an event for it.
async function letSomethingHappen(sandbox: Sandbox): Promise<void> {
  await sandbox.fetch(requestTo(sandbox, 'GET', '/customers'))
  sandbox.webhooks.add({url: 'http://localhost:9/hook'})
  const {customerId} = await createCustomer(sandbox, {
    customerType: 'INDIVIDUAL',
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Vance',
  })
  sandbox.verification.force(customerId, {outcome: 'rejected'})
}

// What a list has no item of says nothing about the schema of its items.
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

describe('the operations of control', () => {
  it('have results of the shape of the OpenAPI document, and change nothing if they are reads', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const call = createCall(sandbox)
    const known = new Known()
    const withoutItems: string[] = []
    for (const name of operationNames) {
      const {input: fields, output, isRead} = getOperation(name)
      await letSomethingHappen(sandbox)
      for (const example of listInputs(name)) {
        const input = createInputSchema(fields).parse(known.fillIn(example))
        const before = dumpTables(file)
        const result: unknown = JSON.parse(JSON.stringify(await call(name, input as never)))
        known.add(result)
        if (isRead) expect({name, tables: dumpTables(file)}).toEqual({name, tables: before})
        expect({name, result: createOutputSchema(output).parse(result)}).toEqual({name, result})
        if (Object.values(result as object).some(isEmptyList)) withoutItems.push(name)
      }
      // What waits for money expires when the clock moves.
      if (name.startsWith('clock.')) sandbox.reset()
    }
    expect(withoutItems).toEqual([])
  })
})
