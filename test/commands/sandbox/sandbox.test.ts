// svc sandbox status, seed and reset: output on a terminal, in a pipe and as JSON, and rejected input.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'

describe('svc sandbox', () => {
  it('adds customers, and deletes everything by a reset', async () => {
    const home = freshHome()
    const count = async () => {
      const {customers} = json((await run(home, ['sandbox', 'status', '--json'])).out) as {
        customers: Record<string, number>
      }
      return Object.values(customers).reduce((sum, n) => sum + n, 0)
    }
    expect(await count()).toBe(24)
    const seeded = await run(home, ['sandbox', 'seed', '--customers', '100'])
    expect(seeded).toMatchObject({code: 0, err: 'Added 100 customers.\n'})
    expect(await count()).toBe(124)
    expect(await run(home, ['sandbox', 'reset', '--quiet'])).toEqual({code: 0, out: '', err: ''})
    expect(await count()).toBe(24)
  })

  it('rejects a file that is not a sandbox, and does not change it', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'notes.txt')
    fs.writeFileSync(file, 'my notes, not a database at all, of some length so that it has a header')
    const {code, out, err} = await run(home, ['customers', 'list', '-p', 'sandbox'], {env: {SVC_SANDBOX_FILE: file}})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(file)
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^my notes/)
  })
})
