// svc transactions watch: on a terminal, in a pipe, as JSON and JSON lines, rejected, and with an unreliable service.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {eraseLine, readRemainingRaw, onPty, onTerminal} from '../../support/terminal.ts'
import {seeded, transaction, transactionId} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const inSandbox = ['-p', 'sandbox']
const watch = ['transactions', 'watch']

describe('svc transactions watch', () => {
  it('shows the instructions once on a terminal of 80 columns, continues, and prints the record at the end', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...watch, seeded.awaiting, ...inSandbox])
    await screen.waitFor('AWAITING_TRANSFER · ')
    await run(home, ['sandbox', 'settle', seeded.awaiting, '--outcome', 'completed', '--quiet'])
    expect(await screen.ended).toBe(0)
    const left = readRemainingRaw(screen)
    expect(left.match(/Send 120\.00 USD by ACH until/g)).toHaveLength(1)
    expect(left).toContain('AWAITING_TRANSFER → COMPLETED')
    expect(left).toContain('Do not send money now: the transaction is COMPLETED')
    expect(left).not.toContain(' · ')
  })

  it('clears its line if it is interrupted during a read', async () => {
    const service = await serve((_, response, count) => {
      if (count === 1) reply(response, 200, {transactions: [transaction(1)]})
    })
    const screen = onPty(freshHome(), [...watch, transactionId(1)], {env: service.env})
    await expect.poll(() => service.requests.length).toBe(2)
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.raw().split(eraseLine).at(-1)).toMatch(
      /^The watching has stopped\. Continue with\s+`svc transactions watch [\da-f-]{36}`\.\r\n$/,
    )
  })

  it('exits with 8 also if the first read takes too long', async () => {
    const service = await serve(() => {})
    const {code, out, err} = await run(freshHome(), [...watch, transactionId(1), '--timeout', '500ms'], {
      env: service.env,
    })
    expect({code, out}).toEqual({code: 8, out: ''})
    expect(err).toContain('could not be read after')
  })
})
