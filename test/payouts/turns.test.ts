// Rows take turns: so many at a time, while those that wait for the disk give theirs away.
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import {createTurns} from '../../src/payouts/turns.ts'

const createQuickTurns = (count: number) => {
  const turns = createTurns(count)
  turns.observe(1)
  return turns
}

// A wait that ends when the test says so.
function createWait() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  return {ended, end}
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('are as many as there are', async () => {
    const turns = createTurns(2)
    const taken: number[] = []
    for (const row of [1, 2, 3]) void turns.take().then(() => taken.push(row))
    await settle()
    expect(taken).toEqual([1, 2])
    turns.give()
    await settle()
    expect(taken).toEqual([1, 2, 3])
  })

  it('are given to another row during a wait, and taken back before those that have not begun', async () => {
    const turns = createQuickTurns(1)
    const steps: string[] = []
    const disk = createWait()
    await turns.take()
    const first = turns.lendDuring(() => disk.ended).then(() => steps.push('first goes on'))
    await turns.take()
    steps.push('second begins')
    void turns.take().then(() => steps.push('third begins'))
    disk.end()
    await settle()
    expect(steps).toEqual(['second begins'])
    turns.give()
    await first
    await settle()
    expect(steps).toEqual(['second begins', 'first goes on'])
    turns.give()
    await settle()
    expect(steps).toEqual(['second begins', 'first goes on', 'third begins'])
  })

  it('are kept during a wait as long as the service is slow, or nothing is known of it', async () => {
    const turns = createTurns(1)
    const disk = createWait()
    let begun = 0
    await turns.take()
    const first = turns.lendDuring(() => disk.ended)
    void turns.take().then(() => begun++)
    await settle()
    turns.observe(1_000)
    expect(begun).toBe(0)
    disk.end()
    await first
    const second = turns.lendDuring(settle)
    await settle()
    expect(begun).toBe(0)
    await second
  })

  it('are taken back after a wait that failed', async () => {
    const turns = createQuickTurns(1)
    await turns.take()
    await expect(turns.lendDuring(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk')
    let isTaken = false
    void turns.take().then(() => (isTaken = true))
    await settle()
    expect(isTaken).toBe(false)
    turns.give()
    await settle()
    expect(isTaken).toBe(true)
  })

  it('are taken back after a second at the latest, and are exceeded by that one row alone', async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']})
    onTestFinished(() => void vi.useRealTimers())
    const turns = createQuickTurns(1)
    const disk = createWait()
    await turns.take()
    const first = turns.lendDuring(() => disk.ended)
    await turns.take()
    disk.end()
    await settle()
    vi.advanceTimersByTime(1_000)
    await first
    let isTaken = false
    void turns.take().then(() => (isTaken = true))
    turns.give()
    await settle()
    expect(isTaken).toBe(false)
    turns.give()
    await settle()
    expect(isTaken).toBe(true)
  })
})
