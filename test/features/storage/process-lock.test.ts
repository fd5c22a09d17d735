// Locks between processes.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {holdLock, withLock} from '../../../src/storage/process-lock.ts'
import {temporaryFolder} from '../../support/svc.ts'

const lockModule = JSON.stringify(path.resolve('src/storage/process-lock.ts'))

// A process that holds the lock until it is killed.
async function holdInAnotherProcess(file: string) {
  const source = `import {holdLock} from ${lockModule}
    globalThis.lock = holdLock(${JSON.stringify(file)}, 0)
    process.stdout.write(globalThis.lock ? 'held' : 'not held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  expect(String(output)).toBe('held')
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

describe('a lock', () => {
  it('lets one piece of work run at a time, is released when one throws, and is private', async () => {
    const folder = temporaryFolder()
    const events: string[] = []
    const work = (name: string) => async () => {
      events.push(`${name} starts`)
      await new Promise((resolve) => setTimeout(resolve, 30))
      events.push(`${name} ends`)
    }
    await expect(withLock(folder, 'settings', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await Promise.all([withLock(folder, 'settings', work('one')), withLock(folder, 'settings', work('two'))])
    expect(events).toHaveLength(4)
    expect(events[0]?.split(' ')[0]).toBe(events[1]?.split(' ')[0])
    expect(fs.statSync(path.join(folder, 'settings.lock')).mode & 0o777).toBe(0o600)
  })

  it('of another process is waited for until the limit, and is free when that process is killed', async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'settings.lock')
    const kill = await holdInAnotherProcess(file)
    const limit = {waitMs: 100, createError: () => new Error('waited long enough')}
    await expect(withLock(folder, 'settings', () => 'done', limit)).rejects.toThrow('waited long enough')
    expect(holdLock(file, 50)).toBeUndefined()
    await kill()
    await expect(withLock(folder, 'settings', () => 'done', limit)).resolves.toBe('done')
    const held = holdLock(file, 50)
    expect(held).toBeDefined()
    held?.release()
  })

  it('in a file that is not a lock is reported as such, not as held', async () => {
    const folder = temporaryFolder()
    fs.writeFileSync(path.join(folder, 'settings.lock'), 'some text that is not a database at all'.repeat(30))
    await expect(withLock(folder, 'settings', () => 'done')).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('is not a database') as string,
    })
  })
})
