// A rejection is believed only after a look at the list, and a key is free for other content only while nothing can have been made.
import {beforeEach, describe, expect, it} from 'vitest'
import {describeOperator} from '../../../src/values/operator.ts'
import {minuteMs, Stage} from '../../money/stage.ts'

let stage: Stage
let journalFile: string
beforeEach(() => {
  stage = new Stage()
  journalFile = stage.journal()
  return () => stage.close()
})

const rejectSend = (status = 400) =>
  ({method: 'POST', path: '/transactions', kind: 'refuse', status, times: 1}) as const
const failLists = (times?: number) => ({method: 'GET', path: '/transactions', kind: 'status', times, after: 1}) as const
const key = 'rent'
const readHistory = () => {
  const [, history] = JSON.parse(stage.dump(journalFile, key)) as [unknown, Array<{what: string; detail: string}>]
  return history
}

describe('a rejected payment', () => {
  it('is REJECTED after one more read of the list, and can be tried again', async () => {
    stage.behave({}, rejectSend())
    const rejected = await stage.run({key, journalFile})
    expect(rejected).toMatchObject({code: 3})
    expect(stage.requests).toEqual(['GET /transactions', 'POST /quotes', 'POST /transactions', 'GET /transactions'])
    expect(rejected.steps).toEqual(expect.arrayContaining(['REFUSED', 'search', 'REJECTED']))
    expect(stage.row(journalFile, key)).toMatchObject({state: 'REJECTED'})
    expect(await stage.run({key, journalFile})).toMatchObject({code: 0})
    expect(stage.made(key)).toHaveLength(1)
  })

  it('for want of money says what to do', async () => {
    stage.behave({}, rejectSend(422))
    const {error} = await stage.run({key, journalFile, areKeysHonoured: true})
    expect(error).toMatchObject({
      error: 'INSUFFICIENT_BALANCE',
      hint: 'Add money or change the amount, then run it again with the same key',
    })
  })

  it('stays unknown, and counts towards the daily limit, while the list cannot be read', async () => {
    const spending = {dayMax: {USDC: '20'}}
    stage.behave({}, rejectSend(), failLists())
    const first = await stage.run({key, journalFile, spending})
    expect(first).toMatchObject({code: 7})
    expect(first.error?.message).toContain('cannot be listed')
    expect(stage.row(journalFile, key)).toMatchObject({state: 'UNKNOWN'})
    stage.behave({})
    expect(await stage.run({key: 'other', journalFile, spending})).toMatchObject({code: 10})
    expect(await stage.run({key, journalFile, spending})).toMatchObject({code: 0})
    expect(readHistory().map(({what}) => what)).toEqual(
      expect.arrayContaining(['REFUSED', 'REJECTED', 'QUOTED', 'ARMED', 'CREATED']),
    )
    expect(stage.made(key)).toHaveLength(1)
  })

  it('is confirmed by the next run if the process ended before it read the list', async () => {
    stage.behave({}, rejectSend())
    expect(await stage.run({key, journalFile, crashAt: 'search', crashAfter: 1})).toMatchObject({crashed: true})
    expect(await stage.run({key, journalFile})).toMatchObject({code: 0})
    expect(stage.made(key)).toHaveLength(1)
    expect(stage.row(journalFile, key)?.attempts.map(({sends}) => sends)).toEqual([1, 1])
  })
})

describe('the content of a key', () => {
  const before = {key, journalFile: '', amount: '99'}
  beforeEach(() => {
    before.journalFile = journalFile
  })

  const expectChanged = async () => {
    const changed: string[] = []
    const outcome = await stage.run({key, journalFile, onContentChanged: (_, changes) => changed.push(...changes)})
    expect(outcome).toMatchObject({code: 0})
    expect(changed).toEqual(['amount 99 USDC → 12.34 USDC'])
    expect(JSON.parse(readHistory().find(({what}) => what === 'CONTENT_CHANGED')?.detail ?? '{}')).toEqual({
      changes: 'amount 99 USDC → 12.34 USDC',
      ...describeOperator(),
    })
    expect(stage.made(key)).toHaveLength(1)
  }

  it('can change after a limit stopped it', async () => {
    expect(await stage.run({...before, limits: {rateMin: '2'}})).toMatchObject({code: 10})
    await expectChanged()
  })

  it('can change after the service rejected it', async () => {
    stage.behave({}, rejectSend(422))
    expect(await stage.run(before)).toMatchObject({code: 3})
    await expectChanged()
  })

  it('can change after it was abandoned', async () => {
    stage.behave({}, {method: 'POST', path: '/transactions', kind: 'reset'})
    expect(
      await stage.run({...before, mayResend: false, waitMs: 40 * minuteMs, crashAt: 'quote', crashAfter: 1}),
    ).toMatchObject({
      crashed: true,
    })
    stage.behave({})
    await expectChanged()
  })

  it('cannot change while it may have been made, nor afterwards', async () => {
    stage.behave({}, {method: 'POST', path: '/transactions', kind: 'lose', times: 1}, failLists(3))
    expect(await stage.run({...before, mayResend: false, waitMs: 0})).toMatchObject({code: 7})
    const unknown = await stage.run({key, journalFile})
    expect(unknown).toMatchObject({code: 2})
    expect(unknown.error?.message).toBe(
      'The key rent belongs to a payment with other content, which was, or may have been, made',
    )
    expect(unknown.error?.hint).toContain('`svc journal settle rent`')
    stage.behave({})
    expect(await stage.run(before)).toMatchObject({code: 0})
    expect(await stage.run({key, journalFile})).toMatchObject({code: 2})
    expect(stage.made(key)).toHaveLength(1)
  })

  it('cannot change if another host has paid the old content', async () => {
    expect(await stage.run({...before, limits: {rateMin: '2'}})).toMatchObject({code: 10})
    expect(await stage.run({...before, journalFile: stage.journal()})).toMatchObject({code: 0})
    expect(await stage.run({key, journalFile})).toMatchObject({code: 2})
    expect(stage.row(journalFile, key)).toMatchObject({state: 'CREATED', transactionId: stage.made(key)[0]})
  })
})
