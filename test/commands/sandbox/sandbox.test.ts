// svc sandbox status, seed and reset: output on a terminal, in a pipe and as JSON, and rejected input.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

describe('svc sandbox', () => {
  it('is seeded when it is first used, and shows its content on a terminal', async () => {
    const screen = onTerminal(freshHome(), ['sandbox', 'status'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/FILE +\S+sandbox\.sqlite\n/)
    expect(screen.text()).toMatch(/CUSTOMERS +4 CREATED\n/)
  })

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

  it('says the API key that a seed has changed', async () => {
    const {err} = await run(freshHome(), ['sandbox', 'reset', '--seed', 'docs'])
    expect(err).toMatch(/^The API key is now svc_\S+: clients of a running server need it\.\n$/)
  })

  it.each([
    ['--customers', '0'],
    ['--customers', 'x'],
    ['--people', '3'],
  ])('rejects seeding with %s %s', async (...flags) => {
    const home = freshHome()
    const {code, out} = await run(home, ['sandbox', 'seed', ...flags])
    expect({code, out}).toEqual({code: 2, out: ''})
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
