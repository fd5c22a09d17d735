// The commented example that `svc sandbox play --template` prints, and what each step does.
import type {Action} from './step-schemas.ts'

export const actionMeanings: Readonly<Record<Action, string>> = {
  customer: 'Creates a customer, or finds an existing one by name or email',
  submit: 'Submits or corrects verification data',
  verify: 'Ends a verification at once',
  account: 'Adds a payment account, or finds an existing one',
  fund: 'Lets money arrive from outside',
  quote: 'Requests a quote',
  transaction: 'Creates a transaction from a quote',
  pay: 'Requests a quote and creates a transaction from it',
  settle: 'Ends a transaction at once',
  rule: 'Creates an automation rule',
  fault: 'Makes requests fail',
  faults: 'Clears all faults',
  behave: 'Changes how the service behaves where the interface leaves it open',
  remove: 'Deletes a rule, clears a fault, or removes a webhook',
  webhook: 'Adds a receiver of events, whose replies the scenario decides',
  clock: 'Moves, freezes or runs the clock',
  snapshot: 'Saves a snapshot, and replaces one of the same name',
  restore: 'Restores a snapshot',
  seed: 'Adds demo customers',
  request: 'Sends any other request to the service',
  expect: 'Compares what is expected with what the sandbox has',
}

export const scenarioTemplate = `# A scenario for \`svc sandbox play FILE\`. The first field of a step says what it does. What a step makes has a name:
# $ada is its id, $ada.email a field of it, and \${ada} its id inside a text. Everything but steps may be left out.
name: A payment through a lost reply
# Ids and keys follow from the seed, and time begins at start, when it is played with --fresh.
seed: example
start: 2026-03-02T09:00:00Z

steps:
  # A person with everything that a verification asks for. kyc: overrides single fields of it.
  - customer: ada
    data: complete
  # The review takes five seconds of the clock. Others: {to: 2026-04-01T00:00:00Z}, to-next, until-idle, freeze, run.
  - clock: {advance: 5s}
    expect: {customer: $ada, status: ACTIVE}
  - account: wallet
    of: $ada
    type: SVC_CRYPTO_WALLET
    balance: 500
  - account: bank
    of: $ada
    type: EXTERNAL_BANK_ACCOUNT
    method: ACH
  - quote: price
    from: $wallet
    to: $bank
    amount: 120.50
  # The next transaction is created, but its reply is lost.
  - fault: lost
    method: POST
    path: /transactions
    kind: lose
    times: 1
  - transaction: rent
    quote: $price
    key: rent-2026-03
    fails: NO_REPLY
  # The same key again: the service replies with the transaction that it has.
  - transaction: rent
    quote: $price
    key: rent-2026-03
  - clock: {advance: 1h}
  - note: Paid once
    expect:
      - {transaction: $rent, status: COMPLETED}
      - {count: transactions, of: $ada, is: 1}
      - {balance: $wallet, is: 379.50}
      - {fault: $lost, acted: 1}
      - {event: customer.updated, of: $ada, status: ACTIVE, times: 1}
`
