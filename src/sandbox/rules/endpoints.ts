// The endpoints of automation rules: create, list, read, update what may change, delete.
import type {z} from 'zod'
import {scheduleProblem} from '../../validation/schedule.ts'
import {ruleFieldsChangeable} from '../../contract/limits.ts'
import type {Problem} from '../../contract/problems.ts'
import type {ruleUpdate} from '../../contract/rules.ts'
import {customerRow} from '../customers/customer-store.ts'
import type {EndpointHandler} from '../http/endpoint-handler.ts'
import {badRequest} from '../http/refusal.ts'
import {nextOpaqueId} from '../store/ids.ts'
import type {RequestContext} from '../request-context.ts'
import {armRule, scheduleNext} from './firing.ts'
import {problemsInTemplate} from './routes.ts'
import {type RuleConfiguration, findRules, insertRule, ruleOf, ruleRow, templateOf, triggerOf} from './rule-store.ts'

function problemsInTrigger({trigger}: RuleConfiguration, now: number): Problem[] {
  if (trigger.type === 'TIME_BASED') {
    const problem = scheduleProblem('trigger.cronSchedule', trigger.cronSchedule, now)
    return problem ? [problem] : []
  }
  const isPositive = /[1-9]/.test(trigger.thresholdAmount)
  return isPositive ? [] : [{path: 'trigger.thresholdAmount', message: 'must be more than 0'}]
}

function refuse([first, ...others]: Problem[]) {
  if (first) throw badRequest(first, ...others)
}

// A rule may be set up for a customer that is not ACTIVE; whether it can pay is seen when it fires.
function check(turn: RequestContext, configuration: RuleConfiguration) {
  const {customerId} = customerRow(turn.database, configuration.customerId)
  refuse([
    ...problemsInTemplate(turn.database, customerId, configuration.transactionTemplate),
    ...problemsInTrigger(configuration, turn.now),
  ])
}

export const createRule: EndpointHandler<'rules.create'> = (turn, {body}) => {
  check(turn, body)
  const ruleId = nextOpaqueId(turn.database, 'rule')
  insertRule(turn.database, ruleId, body, turn.now)
  const row = ruleRow(turn.database, ruleId)
  if (body.trigger.type === 'TIME_BASED') scheduleNext(turn, row)
  else armRule(turn, row)
  return ruleOf(row)
}

export const listRules: EndpointHandler<'rules.list'> = ({database}, {query}) => ({
  automationRules: findRules(database, query).map(ruleOf),
})

export const getRule: EndpointHandler<'rules.get'> = ({database}, {params}) => ruleOf(ruleRow(database, params.ruleId))

type Fields = Record<string, unknown>

// By content, whatever the order of the fields.
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => isSame((one as Fields)[key], (other as Fields)[key]))
}

// Everything is sent, but only the destination, the developer fee and the amount may differ from what is.
function problemsInUpdate(before: z.output<typeof ruleUpdate>, after: z.output<typeof ruleUpdate>): Problem[] {
  const fixed: Array<[path: string, before: unknown, after: unknown]> = [
    ['id', before.id, after.id],
    ['name', before.name, after.name],
    ['customerId', before.customerId.toLowerCase(), after.customerId.toLowerCase()],
    ['transactionTemplate.source', before.transactionTemplate.source, after.transactionTemplate.source],
    ['trigger', before.trigger, after.trigger],
  ]
  const message = `cannot be changed: only ${ruleFieldsChangeable.join(', ')} can; delete the rule and create another`
  return fixed.filter(([, one, other]) => !isSame(one, other)).map(([path]) => ({path, message}))
}

export const updateRule: EndpointHandler<'rules.update'> = (turn, {params, body}) => {
  const row = ruleRow(turn.database, params.ruleId)
  const {ruleId, name, customerId} = row
  const before = {id: ruleId, name, customerId, transactionTemplate: templateOf(row), trigger: triggerOf(row)}
  refuse(problemsInUpdate(before, body))
  check(turn, body)
  const template = JSON.stringify(body.transactionTemplate)
  turn.database.run('update rules set transactionTemplate = ? where ruleId = ?', template, ruleId)
  return ruleOf(ruleRow(turn.database, ruleId))
}

// What waits in the queue for it finds it gone, and does nothing.
export const deleteRule: EndpointHandler<'rules.delete'> = ({database}, {params}) => {
  const row = ruleRow(database, params.ruleId)
  database.run('delete from rules where ruleId = ?', row.ruleId)
  return ruleOf(row)
}
