// The endpoints of automation rules: create, list, get, update and delete.
import type {z} from 'zod'
import {ruleFieldsChangeable} from '../../../contract/vocabulary.ts'
import type {Problem} from '../../../contract/problems.ts'
import type {ruleUpdate} from '../../../contract/rules.ts'
import {validateSchedule} from '../../../values/schedules.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {throwIfProblems} from '../../http/service-error.ts'
import type {Database} from '../../store/database.ts'
import {createOpaqueId} from '../../store/ids.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import {getDecimals} from '../money/currencies.ts'
import {checkRoute} from '../money/route.ts'
import type {RequestContext} from '../request-context.ts'
import {armRule, deleteFirings, scheduleNextFiring} from './firing.ts'
import {
  type RuleConfiguration,
  type Template,
  getRuleRow,
  insertRule,
  listRuleRows,
  parseTemplate,
  parseTrigger,
  toRule,
} from './rule-store.ts'

function checkTrigger({trigger}: RuleConfiguration, now: number): Problem[] {
  if (trigger.type === 'TIME_BASED') {
    const problem = validateSchedule('trigger.cronSchedule', trigger.cronSchedule, now)
    return problem ? [problem] : []
  }
  const isPositive = /[1-9]/.test(trigger.thresholdAmount)
  return isPositive ? [] : [{path: 'trigger.thresholdAmount', message: 'must be more than 0'}]
}

// A rule can be created for a customer that is not ACTIVE. Whether it can pay is checked when it fires.
function checkConfiguration(context: RequestContext, configuration: RuleConfiguration) {
  const {customerId} = getCustomerRow(context.database, configuration.customerId)
  throwIfProblems([
    ...checkTemplate(context.database, customerId, configuration.transactionTemplate),
    ...checkTrigger(configuration, context.now),
  ])
}

export const createRule: EndpointHandler<'rules.create'> = (context, {body}) => {
  checkConfiguration(context, body)
  const ruleId = createOpaqueId(context.database, 'rule')
  insertRule(context.database, ruleId, body, context.now)
  const row = getRuleRow(context.database, ruleId)
  if (body.trigger.type === 'TIME_BASED') scheduleNextFiring(context, row)
  else armRule(context, row)
  return toRule(row)
}

export const listRules: EndpointHandler<'rules.list'> = ({database}, {query}) => ({
  automationRules: listRuleRows(database, query).map(toRule),
})

export const getRule: EndpointHandler<'rules.get'> = ({database}, {params}) =>
  toRule(getRuleRow(database, params.ruleId))

type Fields = Record<string, unknown>

// Compares content. The order of the fields does not matter, and an absent field equals an undefined one.
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => isEqual((one as Fields)[key], (other as Fields)[key]))
}

// An update sends the whole rule, but only the destination, the developer fee and the amount may change.
function checkUpdate(before: z.output<typeof ruleUpdate>, after: z.output<typeof ruleUpdate>): Problem[] {
  const fixed: Array<[path: string, before: unknown, after: unknown]> = [
    ['id', before.id, after.id],
    ['name', before.name, after.name],
    ['customerId', before.customerId.toLowerCase(), after.customerId.toLowerCase()],
    ['transactionTemplate.source', before.transactionTemplate.source, after.transactionTemplate.source],
    ['trigger', before.trigger, after.trigger],
  ]
  const message = `cannot be changed: only ${ruleFieldsChangeable.join(', ')} can; delete the rule and create another`
  return fixed.filter(([, one, other]) => !isEqual(one, other)).map(([path]) => ({path, message}))
}

export const updateRule: EndpointHandler<'rules.update'> = (context, {params, body}) => {
  const row = getRuleRow(context.database, params.ruleId)
  const {ruleId, name, customerId} = row
  const before = {id: ruleId, name, customerId, transactionTemplate: parseTemplate(row), trigger: parseTrigger(row)}
  throwIfProblems(checkUpdate(before, body))
  checkConfiguration(context, body)
  const template = JSON.stringify(body.transactionTemplate)
  context.database.run('update rules set transactionTemplate = ? where ruleId = ?', template, ruleId)
  return toRule(getRuleRow(context.database, ruleId))
}

export const deleteRule: EndpointHandler<'rules.delete'> = ({database}, {params}) => {
  const row = getRuleRow(database, params.ruleId)
  database.run('delete from rules where ruleId = ?', row.ruleId)
  deleteFirings(database, row.ruleId)
  return toRule(row)
}

// An amount with more decimals than its currency could never be paid.
function checkAmount({amount, source}: Template, isCurrencyKnown: boolean): Problem[] {
  const path = 'transactionTemplate.amount.value'
  if (amount.type === 'PCT') return []
  if (!/[1-9]/.test(amount.value)) return [{path, message: 'must be more than 0'}]
  if (!isCurrencyKnown) return []
  const decimals = amount.value.split('.')[1]?.replace(/0+$/, '').length ?? 0
  const decimalsMax = getDecimals(source.sourceCurrency)
  return decimals > decimalsMax ? [{path, message: `must have at most ${decimalsMax} decimals`}] : []
}

// A rule must be able to move money between its source and its destination.
function checkTemplate(database: Database, customerId: string, template: Template): Problem[] {
  const within = 'transactionTemplate.'
  const route = checkRoute(database, customerId, template, {
    within,
    sourceTypes: ['SVC_CRYPTO_WALLET'],
    describeMissing: (path) => ({path, message: 'is not a payment account of the customer'}),
  })
  const problems = 'problems' in route ? route.problems : []
  const isSourceFine = !problems.some(({path}) => path.startsWith(`${within}source.`))
  return [...problems, ...checkAmount(template, isSourceFine)]
}
