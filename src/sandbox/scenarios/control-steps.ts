// The steps of a scenario that an operator of the sandbox would do.
import {omitUndefined} from '../../values/records.ts'
import type {AccountWithBalances} from '../service/money/controls.ts'
import {deleteRule} from './service-steps.ts'
import {type Stage, StepFailure, type StepOutcome} from './stage.ts'
import type {StepFields} from './step-schemas.ts'

export function verify({sandbox}: Stage, {verify: customerId, outcome, codes, message}: StepFields<'verify'>) {
  const {customerStatus} = sandbox.verification.force(customerId, {outcome, message, ...(codes && {codes})})
  return {result: {customerId, customerStatus}}
}

function findExistingAccount({sandbox}: Stage, step: StepFields<'account'>): AccountWithBalances {
  const {of, type, method = step.chain, currency} = step
  const fits = ({paymentAccountId, paymentAccountType}: AccountWithBalances) => {
    const facts = sandbox.scenarios.readAccount(paymentAccountId)
    if (!facts || paymentAccountType !== type) return false
    return [
      [method, facts.method],
      [currency, facts.currency],
    ].every(([wanted, own]) => wanted === undefined || own === null || wanted === own)
  }
  // The oldest, which stays the same when others are added.
  const found = sandbox.money.accounts(of).findLast(fits)
  if (found) return found
  throw new StepFailure(`an account of type ${[type, method, currency].filter(Boolean).join(' ')}`, 'none')
}

export function addAccount(stage: Stage, step: StepFields<'account'>): StepOutcome {
  const {account: name, of: customerId, existing, note: _, expect: __, ...order} = step
  const account = existing ? findExistingAccount(stage, step) : stage.sandbox.money.addAccount({...order, customerId})
  const {paymentAccountId: id, paymentAccountType, balances} = account
  return {
    result: {paymentAccountId: id, paymentAccountType, ...(Object.keys(balances).length > 0 && {balances})},
    made: {name, thing: {kind: 'account', id, fields: account}},
  }
}

export function fund({sandbox}: Stage, {fund: accountId, amount, currency}: StepFields<'fund'>): StepOutcome {
  const funded = sandbox.money.fund(accountId, amount, currency)
  if ('balances' in funded) return {result: {paymentAccountId: accountId, balances: funded.balances}}
  return {result: {transactionId: funded.transactionId, transactionStatus: funded.transactionStatus}}
}

export function settle({sandbox}: Stage, {settle: id, outcome}: StepFields<'settle'>): StepOutcome {
  const {transactionId, transactionStatus} = sandbox.money.settle(id, outcome)
  return {result: {transactionId, transactionStatus}}
}

export function addFault({sandbox}: Stage, step: StepFields<'fault'>): StepOutcome {
  const {fault: name, delay: delayMs, commitAfter: commitAfterMs, note: _, expect: __, ...fault} = step
  const added = sandbox.faults.add({method: '*', path: '*', ...omitUndefined({...fault, delayMs, commitAfterMs})})
  return {
    result: {faultId: added.faultId, kind: added.kind},
    made: {name, thing: {kind: 'fault', id: added.faultId, fields: added}},
  }
}

export function clearFaults({sandbox}: Stage): StepOutcome {
  return {result: {cleared: sandbox.faults.clear().length}}
}

export function behave({sandbox}: Stage, {behave: changes}: StepFields<'behave'>): StepOutcome {
  if (changes === 'default') sandbox.faults.resetBehaviours()
  else sandbox.faults.setBehaviours(omitUndefined(changes))
  return {}
}

export async function remove(stage: Stage, {remove: id}: StepFields<'remove'>): Promise<StepOutcome> {
  const thing = [...stage.things.values()].findLast((each) => each.id === id)
  if (thing?.kind === 'webhook') stage.receivers.remove(id)
  else if (thing?.kind === 'fault') stage.sandbox.faults.clear(id)
  else await deleteRule(stage, id)
  return {}
}

export function addWebhook({sandbox, receivers}: Stage, step: StepFields<'webhook'>): StepOutcome {
  const {webhook: name, replies = [200], copies, reorder} = step
  const endpoint = sandbox.scenarios.addReceiver(name, {copies, reorder})
  receivers.add(endpoint.endpointId, replies)
  return {
    result: {endpointId: endpoint.endpointId},
    made: {name, thing: {kind: 'webhook', id: endpoint.endpointId, fields: endpoint}},
  }
}

export async function moveClock(
  {sandbox: {clock}, receivers}: Stage,
  {clock: move}: StepFields<'clock'>,
): Promise<StepOutcome> {
  if (typeof move === 'object') {
    const now = Date.parse(clock.status().now)
    const instant = 'to' in move ? move.to.getTime() : now + move.advance
    if (instant < now) throw new StepFailure('a time that is not in the past', clock.status().now)
    await receivers.moveTo(instant)
  } else if (move === 'until-idle') await receivers.moveUntilIdle()
  else if (move === 'to-next') clock.toNext()
  else if (move === 'freeze') clock.freeze()
  else clock.run()
  return {}
}

const inMemory = ':memory:'

// A snapshot of the same name is from an earlier run of the scenario, so it is replaced.
export function saveSnapshot({sandbox, images}: Stage, {snapshot: name}: StepFields<'snapshot'>): StepOutcome {
  if (sandbox.status().file === inMemory) images.set(name, sandbox.snapshots.read())
  else sandbox.snapshots.save(name, {replaces: true})
  return {}
}

export function restoreSnapshot({sandbox, images}: Stage, {restore: name}: StepFields<'restore'>): StepOutcome {
  const image = images.get(name)
  if (image) sandbox.snapshots.load(image)
  else if (sandbox.status().file === inMemory) throw new StepFailure(`a snapshot ${name} of this scenario`, 'none')
  else sandbox.snapshots.restore(name)
  return {}
}

export function addCustomers({sandbox}: Stage, {seed: count}: StepFields<'seed'>): StepOutcome {
  return {result: {...sandbox.seedCustomers(count)}}
}
