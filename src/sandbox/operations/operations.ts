// What can be done to a running or an embedded sandbox from outside: one table, from which the commands, the endpoints of
// control, their OpenAPI document and the steps of scenarios are made. The schemas of the inputs and results are beside it.
import {ControlError} from './control-error.ts'
import type {ForcedOutcome} from '../service/customers/controls.ts'
import type {Behaviours} from '../service/faults/behaviours.ts'
import type {NewFault} from '../service/faults/faults.ts'
import type {RequestFilter} from '../service/log/controls.ts'
import type {AccountOrder} from '../service/money/accounts.ts'
import type {SettlementOutcome} from '../service/money/controls.ts'
import type {Sandbox} from '../sandbox.ts'
import type {DeliveriesQuery, EventsQuery} from '../service/webhooks/event-store.ts'
import {spaceMark} from './constants.ts'
import {type ControlHost, requireSpaces} from './control-host.ts'
import {readDurationMs} from '../../values/time.ts'
import {omitUndefined} from '../../values/records.ts'

type Nothing = Record<string, never>

interface Operation<Input, Output> {
  // A GET has its input in the query, a POST in its body.
  method: 'GET' | 'POST'
  summary: string
  run(sandbox: Sandbox, input: Input, host: ControlHost): Output | Promise<Output>
}

const read = <Input, Output>(summary: string, run: Operation<Input, Output>['run']): Operation<Input, Output> => ({
  method: 'GET',
  summary,
  run,
})

const change = <Input, Output>(summary: string, run: Operation<Input, Output>['run']): Operation<Input, Output> => ({
  method: 'POST',
  summary,
  run,
})

// For operations that need no input.
const readAll = <Output>(
  summary: string,
  run: (sandbox: Sandbox, host: ControlHost) => Output,
): Operation<Nothing, Output> => read(summary, (sandbox, _input, host) => run(sandbox, host))

const act = <Output>(summary: string, run: (sandbox: Sandbox) => Output): Operation<Nothing, Output> =>
  change(summary, (sandbox) => run(sandbox))

const customersDefault = 24
const requestsDefault = 20
const lifetimeDefault = '15m'

function parseDuration(text: string): number {
  const ms = readDurationMs(text)
  if (ms !== undefined && ms > 0) return ms
  throw new ControlError(`"${text}" is not a duration: write 30s, 5m, 2h or 7d`)
}

function parseInstant(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new ControlError(`"${text}" is not a time: write 2030-01-01T00:00:00Z`)
  return date
}

type FaultInput = {[Name in keyof NewFault]?: NewFault[Name] | undefined} & Pick<NewFault, 'kind'>

type BehaviourChanges = {[Name in keyof Behaviours]?: Behaviours[Name] | undefined}

interface ImportInput {
  // The bytes of the file, in base64.
  content: string
  name?: string | undefined
  replace?: boolean | undefined
}

interface VerifyInput {
  customerId: string
  outcome: ForcedOutcome
  codes?: readonly string[] | undefined
  message?: string | undefined
}

interface RequestsInput extends RequestFilter {
  limit?: number | undefined
  // Only requests after this sequence number.
  after?: number | undefined
}

// Each is named after its command: `clock.advance` is `svc sandbox clock advance` and /clock/advance.
export const operations = {
  status: readAll('Show a summary of the sandbox', (sandbox) => sandbox.status()),
  seed: change('Add test customers', (sandbox, {customers = customersDefault}: {customers?: number | undefined}) => ({
    ...sandbox.seedCustomers(customers),
    ...sandbox.status(),
  })),
  reset: change(
    'Delete everything and seed the sandbox again',
    (sandbox, {seed, now}: {seed?: string | undefined; now?: string | undefined}) => {
      sandbox.reset({seed, frozenAt: now === undefined ? undefined : parseInstant(now)})
      return sandbox.status()
    },
  ),

  clock: readAll('Show the time in the sandbox', ({clock}) => clock.status()),
  'clock.advance': change('Move the clock forward', ({clock}, {duration}: {duration: string}) =>
    clock.advance(parseDuration(duration)),
  ),
  'clock.to-next': act('Move the clock to the next scheduled event', ({clock}) => clock.toNext()),
  'clock.until-idle': act('Move the clock until only rules and webhooks are waiting', ({clock}) => clock.untilIdle()),
  'clock.freeze': change('Stop the clock', ({clock}, {at}: {at?: string | undefined}) =>
    clock.freeze(at === undefined ? undefined : parseInstant(at)),
  ),
  'clock.run': act('Start a frozen clock again', ({clock}) => clock.run()),

  play: change(
    'Play a scenario, and check what it expects',
    async (sandbox, {scenario, fresh}: {scenario: string; fresh?: boolean | undefined}) => {
      const [{readScenario}, {playScenario}] = await Promise.all([
        import('../scenarios/read-scenario.ts'),
        import('../scenarios/play-scenario.ts'),
      ])
      const parsed = await readScenario(scenario)
      const steps = await Array.fromAsync(playScenario(sandbox, parsed, {isFresh: fresh}))
      return {...(parsed.name !== undefined && {name: parsed.name}), ok: steps.every(({ok}) => ok), steps}
    },
  ),

  'snapshot.save': change('Save a snapshot', ({snapshots}, {name}: {name: string}) => snapshots.save(name)),
  'snapshot.restore': change('Restore a snapshot, including its time', ({snapshots}, {name}: {name: string}) =>
    snapshots.restore(name),
  ),
  'snapshot.list': readAll('List snapshots, oldest first', ({snapshots}) => ({snapshots: snapshots.list()})),
  'snapshot.diff': read('Show what changed since a snapshot', ({snapshots}, {name}: {name: string}) => ({
    differences: snapshots.diff(name),
  })),

  'snapshot.export': read('Get a snapshot as a file', async ({snapshots}, {name}: {name: string}) => {
    const pieces = await Array.fromAsync(snapshots.export(name))
    return {name, content: Buffer.concat(pieces).toString('base64')}
  }),
  'snapshot.import': change('Add a snapshot from a file', ({snapshots}, {content, name, replace}: ImportInput) =>
    snapshots.import(ReadableStream.from([Buffer.from(content, 'base64')]), {name, replaces: replace}),
  ),

  'faults.add': change('Make requests fail on purpose', ({faults}, {method = '*', path = '*', ...fault}: FaultInput) =>
    faults.add({...fault, method, path}),
  ),
  'faults.list': readAll('List the faults and the behaviours', ({faults}) => ({
    behaviours: faults.behaviours(),
    faults: faults.list(),
  })),
  'faults.clear': change('Remove one fault, or all', ({faults}, {faultId}: {faultId?: string | undefined}) => ({
    faults: faults.clear(faultId),
  })),
  'faults.set': change(
    'Set how the sandbox treats keys, quotes and lists',
    ({faults}, {reset, ...changes}: BehaviourChanges & {reset?: boolean | undefined}) => {
      if (reset) faults.resetBehaviours()
      return faults.setBehaviours(omitUndefined(changes))
    },
  ),

  verify: change('Force the outcome of a verification', (sandbox, {customerId, codes, ...forced}: VerifyInput) =>
    sandbox.verification.force(customerId, {...forced, ...(codes && {codes})}),
  ),
  magic: readAll('List the magic values', ({verification}) => ({magic: verification.magic()})),

  'accounts.add': change(
    'Add a payment account to a customer',
    ({money}, order: AccountOrder & {balance?: string | undefined}) => money.addAccount(order),
  ),
  'accounts.list': read('List payment accounts, with balances', ({money}, {customerId}: {customerId: string}) => ({
    paymentAccounts: money.accounts(customerId),
  })),
  fund: change(
    'Simulate an incoming transfer',
    ({money}, input: {paymentAccountId: string; amount: string; currency?: string | undefined}) =>
      money.fund(input.paymentAccountId, input.amount, input.currency),
  ),
  settle: change(
    'Force the outcome of a transaction',
    ({money}, {transactionId, outcome}: {transactionId: string; outcome: SettlementOutcome}) =>
      money.settle(transactionId, outcome),
  ),

  'branding.show': readAll('Show the name and logo of the hosted forms', ({branding}) => branding.show()),
  'branding.set': change(
    'Show a name and a logo in the hosted forms',
    ({branding}, {name, logo}: {name?: string | undefined; logo?: string | undefined}) =>
      branding.set({name, logo: logo === undefined ? undefined : Buffer.from(logo, 'base64')}),
  ),
  'branding.clear': act('Remove the name and the logo', ({branding}) => branding.clear()),

  requests: read('Show the requests that arrived', ({requests: log}, {limit, after, ...filter}: RequestsInput) => {
    if (after !== undefined) {
      const {seq, requests} = log.since(after, filter)
      const shown = limit === undefined ? requests : requests.slice(0, limit)
      return {newest: shown.length < requests.length ? (shown.at(-1)?.seq ?? after) : seq, requests: shown}
    }
    // The number is read first, so that a request that arrives in between comes with the next call.
    const newest = log.newest()
    const requests = log.last(limit ?? requestsDefault, filter)
    return {newest, requests: requests.filter(({seq}) => seq <= newest)}
  }),
  token: change(
    'Issue a JWT that the sandbox accepts',
    (sandbox, {expiresIn}: {expiresIn?: string | undefined}, {spaceName}) => {
      const {token, expiresAt} = sandbox.issueToken(parseDuration(expiresIn ?? lifetimeDefault))
      return {token: spaceName === undefined ? token : `${token}${spaceMark}${spaceName}`, expiresAt}
    },
  ),

  'webhooks.add': change(
    'Register a webhook endpoint, and show its secret',
    (
      {webhooks},
      endpoint: {
        url: string
        copies?: number | undefined
        reorder?: boolean | undefined
        allowRemote?: boolean | undefined
      },
    ) => webhooks.add(endpoint),
  ),
  'webhooks.list': read(
    'List the webhook endpoints',
    (
      {webhooks},
      {showSecrets, removeLeftovers}: {showSecrets?: boolean | undefined; removeLeftovers?: boolean | undefined},
    ) => {
      const removed = removeLeftovers ? webhooks.removeLeftovers() : []
      return {endpoints: webhooks.list({showSecrets}), removed}
    },
  ),
  'webhooks.remove': change('Remove a webhook endpoint', ({webhooks}, {endpointId}: {endpointId: string}) =>
    webhooks.remove(endpointId),
  ),
  'webhooks.deliveries': read('List webhook deliveries, newest first', ({webhooks}, query: DeliveriesQuery) =>
    webhooks.deliveries(query),
  ),
  'webhooks.events': read('List webhook events, newest first', ({webhooks}, query: EventsQuery) =>
    webhooks.events(query),
  ),
  'webhooks.resend': change('Resend an event, or one delivery of it', ({webhooks}, {id}: {id: string}) => ({
    deliveries: webhooks.resend(id),
  })),

  'spaces.list': readAll('List the spaces of the server', (_, {spaces}) => ({
    spaces: requireSpaces(spaces).list(),
  })),
  'spaces.remove': change('Remove a space with everything in it', (_, {name}: {name: string}, {spaces}) =>
    requireSpaces(spaces).remove(name),
  ),
}

export type Operations = typeof operations
export type OperationName = keyof Operations
export type OperationInput<N extends OperationName> = Parameters<Operations[N]['run']>[1]
export type OperationOutput<N extends OperationName> =
  Operations[N] extends Operation<never, infer Output> ? Output : never

// Calls an operation, in this process or at a running server.
export type CallOperation = <N extends OperationName>(name: N, input: OperationInput<N>) => Promise<OperationOutput<N>>

export const createCall = (sandbox: Sandbox, host: ControlHost = {}): CallOperation =>
  (async (name: OperationName, input: never) => operations[name].run(sandbox, input, host)) as CallOperation
