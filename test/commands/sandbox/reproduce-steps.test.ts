// svc sandbox reproduce on a terminal: step by step.
import {describe, expect, it} from 'vitest'
import {inSandbox, pay} from '../../support/payments.ts'
import {freshHome} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

describe('svc sandbox reproduce on a terminal', () => {
  it('goes step by step on a terminal: Enter, s and q', async () => {
    const home = freshHome()
    await pay(home, 'rent', '10')
    const screen = onPty(home, ['sandbox', 'reproduce', 'rent', ...inSandbox])
    await screen.waitFor('1/4')
    screen.type('\r')
    await screen.waitFor('2/4')
    expect(screen.text()).not.toContain('3/4')
    screen.type('s')
    expect(await screen.ended).toBe(0)
    expect(screen.words()).toContain('4 steps, and the payment is CREATED, as in the journal.')
    const stopped = onPty(home, ['sandbox', 'reproduce', 'rent', ...inSandbox])
    await stopped.waitFor('1/4')
    stopped.type('q')
    expect(await stopped.ended).toBe(130)
  })
})
