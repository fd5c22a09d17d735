// Named snapshots of a sandbox that has no file.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {ControlError} from '../../../src/sandbox/operations/control-error.ts'
import {inMemory} from '../../../src/storage/sqlite.ts'
import {openTemporary} from '../open.ts'

describe('a sandbox in memory', () => {
  it('refuses to save a named snapshot, and leaves no folder behind', () => {
    const sandbox = openTemporary({file: inMemory})
    expect(() => sandbox.snapshots.save('before')).toThrow(
      new ControlError('This sandbox is in memory, so it keeps no named snapshots: start it with a file'),
    )
    expect(sandbox.snapshots.list()).toEqual([])
    expect(fs.existsSync(`${inMemory}.snapshots`)).toBe(false)
  })
})
