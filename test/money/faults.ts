// The faults and behaviours of the payment matrix, as the fake service plays them. They have the names that `svc sandbox faults` gives
// them.
import type {FaultOrder} from '../../src/sandbox/orders.ts'
import type {Behaviours, FaultKind} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {type Behaviour, type Step, createBehaviour, refusal} from '../support/scripted/behaviour.ts'
import {createGenerator} from '../support/random.ts'

export type {FaultOrder, Behaviours, FaultKind}

const codes: Readonly<Record<number, string>> = {400: 'BAD_REQUEST', 404: 'NOT_FOUND', 422: 'INSUFFICIENT_BALANCE'}
const refuse = (status: number) => refusal(status, codes[status] ?? `HTTP_${status}`, 'An injected fault')

// Whether the request is carried out, and what the reply is.
const kinds: Readonly<Record<FaultKind, (fault: FaultOrder) => Pick<Step, 'acts' | 'reply'>>> = {
  refuse: ({status = 503}) => ({acts: 'never', reply: refuse(status)}),
  status: ({status = 429}) => ({acts: 'never', reply: refuse(status)}),
  html: ({status = 502}) => ({acts: 'never', reply: {status, body: '<!DOCTYPE html><title>gateway</title>'}}),
  reset: () => ({acts: 'never', reply: 'reset'}),
  hang: () => ({acts: 'never', reply: 'lost'}),
  delay: () => ({}),
  lose: () => ({reply: 'reset'}),
  truncate: () => ({reply: 'truncated'}),
  garbage: () => ({reply: {status: 200, body: '{"\u0001\uFFFD]]<<>> 0x7f{{{'}}),
  'refuse-after': ({status = 500}) => ({reply: refuse(status)}),
}

export const isCarriedOut = (kind: FaultKind) => kinds[kind]({kind, path: ''}).acts === undefined

export function toStep(fault: FaultOrder): Step {
  const {method = 'POST', path, kind, times, after = 0, delayMs = 0, commitAfterMs, probability = 1} = fault
  const draw = createGenerator(probability * 2 ** 31)
  return {
    at: `${method} ${path}`,
    ...(times !== undefined && {times}),
    skip: after,
    delayMs,
    ...kinds[kind](fault),
    ...(commitAfterMs !== undefined && {acts: {afterMs: commitAfterMs}}),
    ...(probability < 1 && {matches: () => draw() < probability}),
  }
}

const keyBehaviours: Readonly<Record<Behaviours['idempotency'], Partial<Behaviour>>> = {
  replay: {keys: 'replayed', areRefusalsReplayed: true},
  'replay-successes': {keys: 'replayed'},
  'replay-any-body': {keys: 'honoured', areRefusalsReplayed: true},
  refuse: {keys: 'refused', areRefusalsReplayed: true},
  'refuse-other-body': {keys: 'other-body-refused', areRefusalsReplayed: true},
  'per-body': {keys: 'per-body', areRefusalsReplayed: true},
  'forget-after-1m': {keys: 'replayed', areRefusalsReplayed: true, keysForgottenAfterMs: 60_000},
  ignore: {keys: 'ignored'},
}

export function toBehaviour(behaviours: Partial<Behaviours>): Behaviour {
  const {idempotency = 'replay', quoteUse = 'single', expiredQuotes = 'refused', listLagSeconds = 0} = behaviours
  const {transactionOutcome, outcomeAfterSeconds = 0, listOrder, dateHeader} = behaviours
  const ending = transactionOutcome && {status: transactionOutcome.toUpperCase(), afterMs: outcomeAfterSeconds * 1_000}
  return {
    ...createBehaviour(),
    ...keyBehaviours[idempotency],
    quotes: quoteUse,
    expiredQuotes,
    listLagMs: listLagSeconds * 1_000,
    listOrder: listOrder === 'oldest-first' ? 'oldest' : 'newest',
    hasDate: dateHeader !== 'left-out',
    laterStatus: ending,
    // Faults last until they are cleared.
    stepTimes: Infinity,
    rate: '0.98',
    svcFee: '0.25',
  }
}
