// svc customers watch: in a terminal, in a pipe, as JSON and JSON lines, and rejected.
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {eraseLine, readRemainingRaw, onPty, onTerminal} from '../../support/terminal.ts'

const inSandbox = ['-p', 'sandbox']

async function findCustomer(home: Home, status: string): Promise<string> {
  const {out} = await run(home, ['customers', 'list', ...inSandbox, '--all', '--json'])
  const {customers} = json(out) as {customers: Array<{customerId: string; customerStatus: string}>}
  return customers.find(({customerStatus}) => customerStatus === status)?.customerId ?? ''
}

const verify = (home: Home, id: string, ...flags: string[]) => run(home, ['sandbox', 'verify', id, ...flags, '--quiet'])

describe('svc customers watch', () => {
  it('keeps a live line in a terminal, prints a line for each change, and ends with the record', async () => {
    const home = freshHome()
    const id = await findCustomer(home, 'UNDER_REVIEW')
    const screen = onTerminal(home, ['customers', 'watch', id, ...inSandbox])
    await screen.waitFor('UNDER_REVIEW · ')
    await verify(home, id, '--outcome', 'approved')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/\d\d:\d\d:\d\d UTC {2}UNDER_REVIEW → ACTIVE\n/)
    expect(screen.text()).toMatch(/STATUS +ACTIVE\n/)
    // The live line is erased before anything else is written.
    const left = readRemainingRaw(screen)
    expect(left).not.toContain(' · ')
    const notice =
      /It may take long\. Ctrl-C stops only the watching\. In the sandbox,\s+`svc sandbox clock until-idle` in another terminal moves time\.\r\n/
    expect(left).toMatch(notice)
    expect(left.replace(notice, '')).toMatch(/is UNDER_REVIEW\r\n\d\d:\d\d:\d\d UTC {2}UNDER_REVIEW → ACTIVE\r\n.*ID/)
  })

  it('leaves a clean line when it is interrupted, and says how to go on', async () => {
    const home = freshHome()
    const id = await findCustomer(home, 'UNDER_REVIEW')
    const screen = onPty(home, ['customers', 'watch', id, ...inSandbox])
    await screen.waitFor(' · ')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    const ended = screen.raw().split(eraseLine).at(-1) ?? ''
    expect(ended.replace(/\s+/g, ' ')).toBe(
      `The watching has stopped. Continue with \`svc customers watch ${id} -p sandbox\`. `,
    )
    expect(screen.raw()).not.toContain('\u001b[?25l')
  })
})
