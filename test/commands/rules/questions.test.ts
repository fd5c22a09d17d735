// svc rules update and delete: what a person is shown before anything is sent.
import {describe, expect, it} from 'vitest'
import {apply, existing, payout} from '../../rules/samples.ts'
import {freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

// Opens a command about the only rule of a sandbox.
async function open(verb: string, ...flags: string[]) {
  const home = freshHome()
  await apply(home, [payout('Weekly')])
  const [rule] = await existing(home)
  const screen = onTerminal(home, ['rules', verb, rule?.id ?? '', ...flags, '-p', 'sandbox'], {cols: 200})
  await screen.waitFor('(y/N)')
  return {home, screen}
}

describe('a person', () => {
  it('sees what a rule changes from and to', async () => {
    const {home, screen} = await open('update', '--amount', '7')
    expect(screen.text()).toMatch(/│ Changes +transactionTemplate\.amount\.value from 100\.10 to 7 +│\n/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect((await existing(home))[0]?.transactionTemplate.amount).toEqual({type: 'FLAT', value: '7'})
  })

  it('sees the rule that would be deleted, and deletes it with a yes', async () => {
    const {home, screen} = await open('delete')
    for (const shown of [
      'Delete the rule “Weekly”?',
      /│ Fires +by itself, at 09:00, only on Monday /,
      /│ Customer +Zoë Ångström +│\n/,
      /│ To +Prairie Mutual Bank \*{4}\d{4}, USD by ACH +│\n/,
      /│ Amount +100\.10 USDC each time it fires +│\n/,
    ]) {
      expect(screen.text()).toMatch(shown)
    }
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(await existing(home)).toEqual([])
  })
})
