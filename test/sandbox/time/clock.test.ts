// The virtual clock of the sandbox, and the queue that runs on it.
import {DatabaseSync} from 'node:sqlite'
import {ControlError} from '../../../src/sandbox/operations/control-error.ts'
import {describe, expect, it} from 'vitest'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {createCustomer, noon, openTemporary, patchCustomer, readCustomer, temporaryFile} from '../open.ts'

const hourMs = 60 * 60 * 1_000

describe('the clock', () => {
  it('can be advanced while it runs and while it is frozen', () => {
    const running = openTemporary({frozenAt: undefined})
    expect(running.clock.advance(hourMs)).toMatchObject({frozen: false, offsetMs: hourMs})
    const standing = openTemporary()
    expect(standing.clock.advance(hourMs)).toMatchObject({frozen: true, now: '2026-11-15T13:00:00.000Z'})
  })

  it('continues from the instant at which it was frozen', () => {
    const sandbox = openTemporary({frozenAt: new Date('2040-01-01T00:00:00Z')})
    const {frozen, now} = sandbox.clock.run()
    expect(frozen).toBe(false)
    expect(now).toMatch(/^2040-01-01T00:0/)
    expect(sandbox.clock.freeze()).toMatchObject({frozen: true})
  })

  it('never goes back, nor beyond the years of a timestamp', () => {
    const sandbox = openTemporary()
    expect(() => sandbox.clock.advance(-1)).toThrow(ControlError)
    expect(() => sandbox.clock.advance(0.5)).toThrow(ControlError)
    expect(() => sandbox.clock.advance(Number.MAX_SAFE_INTEGER)).toThrow(ControlError)
    expect(() => sandbox.clock.freeze(new Date(noon.getTime() - 1))).toThrow(ControlError)
    expect(() => sandbox.clock.freeze(new Date(Number.NaN))).toThrow(ControlError)
    expect(sandbox.status().clock.now).toBe(noon.toISOString())
  })

  it('is stored in the file', () => {
    const file = temporaryFile()
    const first = openSandbox({file})
    first.clock.freeze(new Date('2040-01-01T00:00:00Z'))
    first.close()
    expect(openTemporary({file}).status().clock).toMatchObject({frozen: true, now: '2040-01-01T00:00:00.000Z'})
  })
})

describe('the queue', () => {
  it('runs due tasks in the order of their times, and each task sees the time at which it was due', async () => {
    const sandbox = openTemporary()
    const individual = {customerType: 'INDIVIDUAL', email: 'a@example.com'}
    const first = await createCustomer(sandbox, individual)
    const second = await createCustomer(sandbox, individual)
    await patchCustomer(sandbox, first.customerId, {kycData: {nationality: 'NO'}})
    sandbox.clock.advance(2_000)
    await patchCustomer(sandbox, second.customerId, {kycData: {nationality: 'NO'}})
    expect(sandbox.status().queue).toEqual({waiting: 22, failed: 0, nextDue: '2026-11-15T12:00:05.000Z'})
    sandbox.clock.freeze(new Date('2026-11-16T12:00:00Z'))
    expect((await readCustomer(sandbox, first.customerId)).updatedAt).toBe('2026-11-15T12:00:05Z')
    expect((await readCustomer(sandbox, second.customerId)).updatedAt).toBe('2026-11-15T12:00:07Z')
    expect(sandbox.status().queue).toEqual({waiting: 11, failed: 0, nextDue: '2026-11-18T11:00:00.000Z'})
  })

  it('skips a task that throws, undoes what it wrote, and shows it in the status', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    const broken = new DatabaseSync(file)
    const insert = broken.prepare("insert into queue (due, kind, payload) values (?, 'verification.decide', ?)")
    insert.run(noon.getTime(), JSON.stringify({customerId: 'nobody', review: 1}))
    broken.close()
    await patchCustomer(sandbox, customerId, {kycData: {nationality: 'NO'}})
    sandbox.clock.advance(hourMs)
    expect((await readCustomer(sandbox, customerId)).customerStatus).toBe('NEEDS_ADDITIONAL_INFORMATION')
    expect(sandbox.status().queue).toMatchObject({
      failed: 1,
      lastFailure: 'verification.decide: There is no customer nobody',
    })
    sandbox.reset()
    expect(sandbox.status().queue.failed).toBe(0)
  })

  it('runs a task that another task queued, also in a single advance', async () => {
    const sandbox = openTemporary()
    const body = {customerType: 'INDIVIDUAL', email: 'a@example.com', kycData: {nationality: 'NO'}}
    const {customerId} = await createCustomer(sandbox, body)
    sandbox.clock.advance(24 * hourMs)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({
      customerStatus: 'NEEDS_ADDITIONAL_INFORMATION',
      updatedAt: '2026-11-15T12:00:05Z',
    })
  })
})
