// svc sandbox token: on a terminal, in a pipe, and rejected.
import {describe, expect, it} from 'vitest'
import {freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

describe('svc sandbox token', () => {
  it('prints the token alone on standard output, and on a terminal until when it is valid', async () => {
    const home = freshHome()
    const {code, out, err} = await run(home, ['sandbox', 'token'])
    expect(code).toBe(0)
    expect(out.trimEnd()).toMatch(tokenForm)
    expect(err).toMatch(/^It is valid until \S+Z, on the clock of the sandbox\.\n$/)
    const screen = onTerminal(home, ['sandbox', 'token', '--expires-in', '1h'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('It is valid until')
  })

  it.each([['soon'], ['0s'], ['9999d']])('rejects --expires-in %s', async (duration) => {
    const {code, out} = await run(freshHome(), ['sandbox', 'token', '--expires-in', duration])
    expect({code, out}).toEqual({code: 2, out: ''})
  })
})
