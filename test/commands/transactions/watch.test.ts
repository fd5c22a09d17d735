// svc transactions watch: on a terminal, in a pipe, as JSON and JSON lines, rejected, and with an unreliable service.
import {describe, expect, it} from 'vitest'
import {startSvc} from '../../support/running.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {eraseLine, readRemainingRaw, onPty, onTerminal} from '../../support/terminal.ts'
import {seeded, transaction, transactionId} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const inSandbox = ['-p', 'sandbox']
const watch = ['transactions', 'watch']
const lines = (text: string) => text.trimEnd().split('\n')

describe('svc transactions watch', () => {
  it('shows the instructions once on a terminal of 80 columns, continues, and prints the record at the end', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...watch, seeded.awaiting, ...inSandbox])
    await screen.waitFor(/AWAITING_TRANSFER · .* · next check/)
    await run(home, ['sandbox', 'settle', seeded.awaiting, '--outcome', 'completed', '--quiet'])
    expect(await screen.ended).toBe(0)
    const left = readRemainingRaw(screen)
    expect(left.match(/Send 120\.00 USD by ACH until/g)).toHaveLength(1)
    expect(left).toContain('AWAITING_TRANSFER → COMPLETED')
    expect(left).toContain('Do not send money now: the transaction is COMPLETED')
    expect(left).not.toContain('next check')
  })

  it('keeps its live line within the width of the terminal', async () => {
    const status = 'AWAITING_THE_TRANSFER_OF_受取人_AND_OF_EVERYONE_ELSE_IN_TOWN'
    const service = await serve((_, response) => reply(response, 200, {transactions: [transaction(1, status)]}))
    const screen = onTerminal(freshHome(), [...watch, transactionId(1), '--timeout', '2s'], {
      cols: 40,
      env: service.env,
    })
    expect(await screen.ended).toBe(8)
    const drawn = screen
      .raw()
      .split(eraseLine)
      .filter((line) => line.startsWith('AWAITING') && !line.includes('\n'))
    expect(drawn.length).toBeGreaterThan(1)
    expect(drawn.every((line) => line.endsWith('…') && line.length <= 39)).toBe(true)
  })

  it('clears its line if it is interrupted during a read', async () => {
    const service = await serve((_, response, count) => {
      if (count === 1) reply(response, 200, {transactions: [transaction(1)]})
    })
    const screen = onPty(freshHome(), [...watch, transactionId(1)], {env: service.env})
    await screen.waitFor('checking…')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.raw().split(eraseLine).at(-1)).toMatch(
      /^The watching has stopped\. Continue with\s+`svc transactions watch [\da-f-]{36}`\.\r\n$/,
    )
  })

  it('reports each change in a pipe, prints the last state, and with --quiet only that', async () => {
    const home = freshHome()
    const loud = startSvc(home, [...watch, seeded.processing, ...inSandbox])
    const quiet = run(home, [...watch, seeded.processing, ...inSandbox, '--quiet', '--columns', 'status'])
    await loud.waitFor('is PROCESSING')
    await run(home, ['sandbox', 'settle', seeded.processing, '--outcome', 'failed', '--quiet'])
    const [verbose, silent] = await Promise.all([loud.ended, quiet])
    expect([verbose.code, silent.code]).toEqual([11, 11])
    expect(lines(verbose.err)).toEqual([
      expect.stringMatching(`UTC {2}${seeded.processing} is PROCESSING$`),
      expect.stringMatching(/UTC {2}PROCESSING → FAILED$/),
      expect.stringMatching(/^svc: Transaction \S+ is FAILED\. To try again, request a new quote/),
    ])
    expect(verbose.out).toMatch(/STATUS +FAILED\n/)
    expect(silent.out).toBe('STATUS  FAILED\n')
    expect(lines(silent.err)).toHaveLength(1)
  })

  it('writes a line of JSON for each change, and searches only the customer’s transactions after the first read', async () => {
    const states = ['CREATED', 'CREATED', 'PROCESSING', 'EXPIRED']
    const service = await serve((_, response, count) =>
      reply(response, 200, {transactions: [transaction(2), transaction(1, states[count - 1])]}),
    )
    const {code, out, err} = await run(freshHome(), [...watch, transactionId(1), '-o', 'jsonl'], {env: service.env})
    expect(code).toBe(11)
    expect(lines(out).map(json)).toEqual(['CREATED', 'PROCESSING', 'EXPIRED'].map((status) => transaction(1, status)))
    expect(lines(err)).toHaveLength(1)
    expect(json(err)).toMatchObject({error: 'TRANSACTION_EXPIRED', exitCode: 11})
    expect(service.requests.map(({query}) => query.get('customerId'))).toEqual([null, ...Array(3).fill(customerId(1))])
  })

  it('exits with 8 if the time is up during a read, and prints the last state', async () => {
    const service = await serve((_, response, count) => {
      if (count === 1) reply(response, 200, {transactions: [transaction(1)]})
    })
    const startedMs = performance.now()
    const {code, out, err} = await run(freshHome(), [...watch, transactionId(1), '--json', '--timeout', '2s'], {
      env: service.env,
    })
    expect(code).toBe(8)
    // Far below the 30 s that a request may take, and far above what a loaded machine needs.
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    expect(json(out)).toEqual(transaction(1))
    expect(json(err)).toMatchObject({error: 'PENDING', exitCode: 8})
  })

  it('exits with 8 also if the first read takes too long', async () => {
    const service = await serve(() => {})
    const {code, out, err} = await run(freshHome(), [...watch, transactionId(1), '--timeout', '500ms'], {
      env: service.env,
    })
    expect({code, out}).toEqual({code: 8, out: ''})
    expect(err).toContain('could not be read before --timeout')
  })

  it('tolerates failed reads, says so once, and warns once of a reply that breaks the contract', async () => {
    const broken = transaction(1, 'PROCESSING', {quoteId: undefined})
    const service = await serve((_, response, count) => {
      // The client itself tries a read four times.
      if (count > 2 && count <= 6)
        reply(response, 503, {error: 'SERVICE_UNAVAILABLE', message: 'Later'}, {'retry-after': '0'})
      else reply(response, 200, {transactions: [count < 7 ? broken : transaction(1, 'COMPLETED')]})
    })
    const {code, err} = await run(freshHome(), [...watch, transactionId(1), '--json'], {env: service.env})
    expect(code).toBe(0)
    expect(lines(err)).toEqual([
      expect.stringMatching(/^Warning: the reply to transactions\.list breaks the interface/),
      expect.stringMatching(/answered 503 SERVICE_UNAVAILABLE: Later; still trying\.$/),
      'The service answers again.',
    ])
  })

  it('exits with 4 at once if the credential is rejected', async () => {
    const service = await serve((_, response, count) =>
      count === 1
        ? reply(response, 200, {transactions: [transaction(1)]})
        : reply(response, 401, {error: 'UNAUTHORIZED', message: 'Expired', statusCode: 401}),
    )
    const {code, out} = await run(freshHome(), [...watch, transactionId(1), '--json'], {env: service.env})
    expect({code, out}).toEqual({code: 4, out: ''})
  })

  it('rejects an invalid id, and a transaction that does not exist', async () => {
    const home = freshHome()
    const [bad, missing] = [
      await run(home, [...watch, 'tx_1', ...inSandbox]),
      await run(home, [...watch, transactionId(1), ...inSandbox]),
    ]
    expect(bad).toMatchObject({code: 2, out: ''})
    expect(missing).toMatchObject({code: 5, out: ''})
  })
})
