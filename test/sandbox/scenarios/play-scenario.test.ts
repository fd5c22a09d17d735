// Scenarios in a sandbox: what each step does, what is expected, and that the same scenario gives the same steps again.
import {describe, expect, it} from 'vitest'
import {inMemory} from '../../../src/storage/sqlite.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createPlayFailure, playScenario} from '../../../src/sandbox/scenarios/play-scenario.ts'
import type {Result} from '../../../src/sandbox-results.ts'
import {readScenario} from '../../../src/sandbox/scenarios/read-scenario.ts'
import {scenarioTemplate} from '../../../src/sandbox/scenarios/scenario-template.ts'
import {dumpTables, openTemporary, temporaryFile} from '../open.ts'

type PlayedStep = Result<'PlayedStep'>

async function play(sandbox: Sandbox, text: string, isFresh = true): Promise<PlayedStep[]> {
  const steps: PlayedStep[] = []
  for await (const step of playScenario(sandbox, await readScenario(text), {isFresh})) steps.push(step)
  return steps
}

const open = () => openTemporary({file: inMemory})

// The last step of a scenario that must fail.
async function findFailure(steps: string): Promise<PlayedStep> {
  const played = await play(open(), `steps:\n${steps}`)
  const last = played.at(-1) as PlayedStep
  expect(last.ok).toBe(false)
  expect(played.slice(0, -1).every(({ok}) => ok)).toBe(true)
  return last
}

const playOwn = (steps: string, sandbox = open()) => play(sandbox, `steps:\n${steps}`)

const listFailed = (steps: readonly PlayedStep[]) => steps.filter(({ok}) => !ok)

const accounts = `
  - {customer: zoe, existing: Zoë Ångström}
  - {account: wallet, of: $zoe, type: SVC_CRYPTO_WALLET, balance: 100}
  - {account: bank, of: $zoe, type: EXTERNAL_BANK_ACCOUNT, method: ACH}
`

describe('a scenario', () => {
  it('gives the same steps and the same data again, also in another database', async () => {
    const files = [temporaryFile(), temporaryFile()]
    const [first, second] = files.map((file) => openTemporary({file}))
    const steps = await play(first as Sandbox, scenarioTemplate)
    expect(steps.map(({ok}) => ok)).toEqual(Array<boolean>(10).fill(true))
    expect(await play(second as Sandbox, scenarioTemplate)).toEqual(steps)
    expect(await play(first as Sandbox, scenarioTemplate)).toEqual(steps)
    const dumps = files.map((file) =>
      // Requests are logged with real time, and the generation counts resets.
      dumpTables(file).replaceAll(/"(durationMs|generation|owner|leaseHolder)": [^,\n]*/g, ''),
    )
    expect(dumps[0]).toBe(dumps[1])
  })

  it('starts over when it is fresh, and goes on from the present otherwise', async () => {
    const sandbox = open()
    const [created] = await play(sandbox, 'start: 2026-03-02T09:00:00Z\nsteps: [{customer: ada}]')
    expect(created).toMatchObject({at: '2026-03-02T09:00:00.000Z', result: {customerStatus: 'CREATED'}})
    const again = await play(sandbox, 'steps: [{expect: {customer: Ada}}, {expect: {count: customers, is: 25}}]', false)
    expect(again.map(({ok}) => ok)).toEqual([true, true])
    await expect(play(sandbox, 'start: 2026-03-01T00:00:00Z\nsteps: [{clock: to-next}]', false)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('2026-03-01'),
    })
  })

  it('lets a running clock run again when it ends, also after a failure', async () => {
    const sandbox = open()
    sandbox.clock.run()
    await play(sandbox, 'steps: [{clock: {advance: 1h}}]', false)
    expect(sandbox.clock.status().frozen).toBe(false)
    await play(sandbox, 'steps: [{expect: {count: rules, is: 9}}]', false)
    expect(sandbox.clock.status().frozen).toBe(false)
  })

  it('refers to earlier things by name, by field and inside a text', async () => {
    const steps = await playOwn(`
  - {customer: ada, email: ada@example.org}
  - {request: 'GET /customers/\${ada}', as: read, expect: {value: $read.email, is: ada@example.org}}
  - {request: 'GET /customers/\${ada.customerId}?includePaymentMethods=true', as: more}
  - {expect: [{value: $more.customerId, is: $ada.id}, {value: $ada.customerType, is: INDIVIDUAL}]}
  - {request: GET /customers/nobody, fails: BAD_REQUEST, message: customerId}
`)
    expect(listFailed(steps)).toEqual([])
    expect(steps.at(-1)).toMatchObject({result: {error: 'BAD_REQUEST'}})
  })

  it('verifies complete people and businesses, and reports what was refused', async () => {
    expect(
      listFailed(
        await playOwn(`
  - {customer: ada, data: complete}
  - {customer: books, type: BUSINESS, data: complete}
  - {customer: minor, data: complete, kyc: {dateOfBirth: 2020-01-01, address: {streetLine2: null}}}
  - {customer: bare, kyc: {legalFirstName: Bare}}
  - clock: {advance: 5s}
    expect:
      - {customer: $ada, status: ACTIVE, issues: []}
      - {customer: $books, status: ACTIVE}
      - {customer: $minor, status: NEEDS_ADDITIONAL_INFORMATION}
      - {customer: $bare, status: NEEDS_ADDITIONAL_INFORMATION}
  - {submit: $bare, data: complete, kyc: {documents: [{type: GOVERNMENT_ID, subtype: PASSPORT, countryCode: GB,
      documentIdNumber: 12345, issuanceDate: 2022-06-01, expirationDate: 2042-06-01, frontIdImage: sample}]}}
  - {submit: $bare, data: complete, fails: PATCH_NOT_ALLOWED}
  - {verify: $bare, outcome: needs-information, codes: [DOC_QUALITY_POOR], message: Blurred}
  - {expect: {customer: $bare, status: NEEDS_ADDITIONAL_INFORMATION, issues: [DOC_QUALITY_POOR]}}
  - {verify: $ada, outcome: deactivated, expect: {customer: $ada, status: DEACTIVATED}}
`),
      ),
    ).toEqual([])
  })

  it('moves money: quotes, payments, deposits, settlements', async () => {
    expect(
      listFailed(
        await playOwn(`${accounts}
  - {account: found, of: $zoe, existing: true, type: EXTERNAL_BANK_ACCOUNT, method: SEPA}
  - {account: deposits, of: $zoe, existing: true, type: SVC_AUTO_FIAT_ACCOUNT, currency: USD}
  - {fund: $wallet, amount: 50.25, expect: {balance: $wallet, is: 150.25}}
  - {pay: first, from: $wallet, to: $bank, amount: 20, key: k-1, developerFee: 0.5, guarantee: true}
  - {settle: $first, outcome: failed, expect: [{transaction: $first, status: FAILED}, {balance: $wallet, is: 150.25}]}
  - {pay: second, from: $wallet, to: $found, amount: 1000, fails: INSUFFICIENT_BALANCE}
  - {quote: in, from: $deposits, to: $wallet, amount: 40}
  - {transaction: third, quote: $in, correlationId: third-1, expect: {transaction: $third, status: AWAITING_TRANSFER}}
  - {fund: $deposits, amount: 40, expect: {transaction: $third, status: PROCESSING}}
  - {transaction: again, quote: $in, key: other, fails: CONFLICT}
  - {expect: [{count: transactions, of: $wallet, is: 2}, {count: accounts, of: $zoe, status: PENDING, is: 1}]}
`),
      ),
    ).toEqual([])
  })

  it('simulates faults and other behaviours, and removes them', async () => {
    expect(
      listFailed(
        await playOwn(`${accounts}
  - {fault: slow, kind: hang, method: GET, path: '/customers/*'}
  - {request: 'GET /customers/\${zoe}', fails: NO_REPLY}
  - {remove: $slow}
  - {request: 'GET /customers/\${zoe}'}
  - {fault: html, kind: html, times: 1}
  - {request: 'GET /customers/\${zoe}', fails: UNREADABLE_REPLY, expect: {fault: $html, acted: 1}}
  - {fault: busy, kind: status, status: 429, retryAfterSeconds: 2, delay: 1h}
  - {request: 'GET /customers/\${zoe}', fails: TOO_MANY_REQUESTS}
  - {faults: off}
  - {behave: {quoteUse: many, listLagSeconds: 60}}
  - {quote: price, from: $wallet, to: $bank, amount: 10}
  - {transaction: one, quote: $price}
  - {transaction: two, quote: $price}
  - {behave: default}
  - {transaction: three, quote: $price, fails: CONFLICT}
`),
      ),
    ).toEqual([])
  })

  it('fires rules on the clock and at thresholds, until they are removed', async () => {
    expect(
      listFailed(
        await playOwn(`${accounts}
  - {rule: daily, from: $wallet, to: $bank, amount: 10, cron: 0 12 * * *}
  - {clock: {advance: 3d}, expect: [{rule: $daily, fired: 3}, {balance: $wallet, is: 70}]}
  - {remove: $daily}
  - {clock: {advance: 3d}, expect: [{balance: $wallet, is: 70}, {count: rules, of: $wallet, is: 0}]}
  - {rule: sweep, from: $wallet, to: $bank, percent: 50, threshold: 100}
  - {fund: $wallet, amount: 30}
  - {clock: until-idle, expect: {balance: $wallet, is: 50}}
`),
      ),
    ).toEqual([])
  })

  it('plays the receivers of webhooks, with their replies and the schedule of retries', async () => {
    const sandbox = open()
    expect(
      listFailed(
        await playOwn(
          `
  - {webhook: hook, replies: [500, timeout, 200]}
  - {webhook: second}
  - {customer: ada}
  - {verify: $ada, outcome: approved}
  - {expect: [{count: deliveries, of: $ada, status: PENDING, is: 2}, {count: deliveries, status: DELIVERED, is: 2},
      {event: customer.updated, of: $ada, status: ACTIVE, delivered: false}]}
  - {clock: {advance: 5s}, expect: {count: deliveries, status: PENDING, is: 0}}
  - {clock: {advance: 1d}, expect: {event: customer.updated, of: $ada, delivered: true, times: 2}}
  - {remove: $second}
  - {verify: $ada, outcome: deactivated, expect: {count: deliveries, status: DELIVERED, is: 5}}
`,
          sandbox,
        ),
      ),
    ).toEqual([])
    const {deliveries} = sandbox.webhooks.deliveries({})
    expect(deliveries.map(({attempts}) => attempts).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2, 2])
    expect(new Set(deliveries.map(({lastOutcome}) => lastOutcome))).toEqual(new Set(['200']))
    // Nothing is left for a server to send to.
    expect(sandbox.webhooks.list()).toEqual([])
  })

  it('saves and restores snapshots, in a file and in memory, and replaces one of an earlier run', async () => {
    const steps = `
  - {snapshot: before}
  - {clock: {advance: 1d}}
  - {seed: 3, expect: {count: customers, is: 27}}
  - {restore: before, expect: [{count: customers, is: 24}, {time: 2026-01-05T09:00:00Z}]}
`
    expect(listFailed(await playOwn(steps))).toEqual([])
    const sandbox = openTemporary()
    expect(listFailed(await playOwn(steps, sandbox))).toEqual([])
    expect(listFailed(await playOwn(steps, sandbox))).toEqual([])
    expect(sandbox.snapshots.list().map(({name}) => name)).toEqual(['before'])
  })

  it.each([
    [
      'an expectation',
      '  - {customer: ada}\n  - note: x\n    expect:\n      - {customer: $ada, status: CREATED}\n      - {customer: $ada, status: ACTIVE}',
      {step: 2, line: 6, expected: 'the status of the customer to be ACTIVE', found: 'CREATED'},
    ],
    [
      'a refusal that is not expected',
      '  - {customer: ada, email: ada@example.com, kyc: {phoneNumber: 1}}',
      {
        step: 1,
        expected: 'the request to succeed',
        found: expect.stringMatching(/^BAD_REQUEST \(kycData\.phoneNumber/),
      },
    ],
    [
      'another refusal than the expected one',
      '  - {request: GET /nowhere, fails: BAD_REQUEST}',
      {expected: 'the request to be refused with BAD_REQUEST', found: expect.stringMatching(/^NOT_FOUND/)},
    ],
    [
      'a refusal that does not come',
      '  - {customer: ada, fails: BAD_REQUEST}',
      {expected: 'the request to be refused with BAD_REQUEST', found: 'that it succeeded'},
    ],
    [
      'what the sandbox cannot do',
      '  - {customer: ada}\n  - {verify: $ada, outcome: deactivated}',
      {step: 2, found: expect.stringContaining('only an ACTIVE customer')},
    ],
    ['a field that there is not', '  - {customer: ada}\n  - {verify: $ada.nothing, outcome: approved}', {step: 2}],
    ['a customer that there is not', '  - {customer: ada, existing: Nobody}', {found: 'none'}],
    ['a time in the past', '  - {clock: {to: 2020-01-01T00:00:00Z}}', {found: '2026-01-05T09:00:00.000Z'}],
    ['an amount', `${accounts}  - {expect: {balance: $wallet, is: 100.01}}`, {step: 4, found: '100.00'}],
    ['an event', '  - {customer: ada}\n  - {expect: {event: customer.updated, of: $ada}}', {found: '0'}],
  ])('ends at %s that is not met', async (_, steps, failure) => {
    const last = await findFailure(`${steps}\n  - {clock: to-next}`)
    expect(last).toMatchObject(failure)
    const error = createPlayFailure(last)
    expect(error).toMatchObject({kind: 'finding', exitCode: 12, effect: 'done'})
    expect(error.message).toBe(`Step ${last.step}, line ${last.line}: expected ${last.expected}, found ${last.found}`)
  })
})
