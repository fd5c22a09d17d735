// svc tour: at a terminal, and in a pipe.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

// The temporary folder of the tour is inside the test's own, so that the test sees whether it is removed.
function homeWithTemporaryFolder(): Home & {listLeftovers: () => string[]} {
  const {folder, env} = freshHome()
  const temporary = path.join(folder, 'tmp')
  fs.mkdirSync(temporary)
  return {folder, env: {...env, TMPDIR: temporary}, listLeftovers: () => fs.readdirSync(temporary)}
}

describe('svc tour', () => {
  it('without a terminal plays through and ends with 0', async () => {
    const home = homeWithTemporaryFolder()
    // What the user has set must not reach the tour.
    const env = {SVC_PROFILE: 'nobody', SVC_JOURNAL: '/dev/null/journal', SVC_SANDBOX_FILE: '/dev/null/sandbox'}
    const {code, out, err} = await run(home, ['tour'], {env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/^1 of 4 · Look around, and use it in scripts\n/)
    expect(out).toContain('$ svc customers issues mateo.q@example.com --columns code,meaning\n')
    expect(out).toMatch(/STATUS {2}UNDER_REVIEW\n[^]*STATUS {2}ACTIVE\n/)
    expect(out).toMatch(
      /\$ svc pay --key rent-2026-11 [^]*Killed\n[^]*rent-2026-11 {2}ARMED [^]* found in the service's list and adopted\./,
    )
    expect(out).toMatch(/\| length'\n1\n/)
    expect(out).toMatch(/Made {9}3 rows [^]*before this run\n/)
    expect(home.listLeftovers()).toEqual([])
    expect(fs.existsSync(home.env['SVC_CONFIG_DIR'] ?? '')).toBe(false)
  })

  it('is interrupted by Ctrl-C, and removes its folder', async () => {
    const home = homeWithTemporaryFolder()
    const screen = onPty(home, ['tour'], {cols: 80})
    await screen.waitFor('$ svc customers list')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(home.listLeftovers()).toEqual([])
  })
})
