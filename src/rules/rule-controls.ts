// What people see of a file of rules before they approve it: what each rule does, in a sentence.
import {basename} from 'node:path'
import {type NameAccount, readAccountNames} from '../accounts/parties.ts'
import {toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {readCode} from '../contract/loose.ts'
import {
  type Approvable,
  type ShownContent,
  type ShownField,
  createField,
  describeField,
  digestContent,
  itemsShownMax,
  linesShownMax,
  listFields,
  showAmount,
  showMethod,
  showText,
} from '../controls/approvable.ts'
import type {ApprovalRequest} from '../controls/approvals.ts'
import {LimitReached, checkDay, checkSinglePayment} from '../controls/check-spending.ts'
import type {SpendingLimits} from '../controls/limits.ts'
import {
  type PayeeJournal,
  createPayeeWaitsError,
  describePayees,
  findHeldPayees,
  getCoolDownRules,
  listNewPayees,
} from '../controls/new-payees.ts'
import type {DecisionJournal} from '../controls/decisions.ts'
import type {ApprovalSubject} from '../controls/statement.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {describeSchedule} from '../values/describe-schedule.ts'
import {type RuleConfiguration, normalizeRule} from './rule-configuration.ts'
import type {WantedRule} from './rule-file.ts'

type Leaves = Readonly<Record<string, unknown>>

interface RuleField {
  label: string
  // The paths of the values that it shows.
  paths: readonly string[]
  // Is given the values in the order of the paths.
  show: (values: readonly unknown[]) => string
}

const showOne = (value: unknown) => showText(toText(value))
const showSum = (value: unknown) => showAmount(toText(value))

function showRuleAmount([type, amount, currency]: readonly unknown[]): string {
  const [shown, label] = [showSum(amount), showOne(currency)]
  if (type === 'FLAT') return `${shown} ${label}`
  return type === 'PCT' ? `${shown}% of the ${label} balance` : `${shown} ${label}, ${showOne(type)}`
}

// The words of a schedule do not tell every two expressions apart, so the expression stands beside them.
const showTrigger = ([type, threshold, cron]: readonly unknown[]): string =>
  [
    showOne(type),
    ...(threshold === undefined ? [] : [`a balance of ${showSum(threshold)} or more`]),
    ...(cron === undefined ? [] : [describeSchedule(showOne(cron))]),
  ].join(', ')

const createRuleField = (
  label: string,
  paths: readonly string[],
  show: RuleField['show'] = ([value]) => showOne(value),
): RuleField => ({label, paths, show})

const template = 'transactionTemplate'
const from = `${template}.source.source`
const to = `${template}.destination.destination`
const fee = `${template}.developerFee.developerFee`

// What people see of a rule. A value of any other path is shown under its path.
const ruleFields: readonly RuleField[] = [
  createRuleField('Name', ['name']),
  createRuleField('When', ['trigger.type', 'trigger.thresholdAmount', 'trigger.cronSchedule'], showTrigger),
  createRuleField('Amount', [`${template}.amount.type`, `${template}.amount.value`, `${from}Currency`], showRuleAmount),
  createRuleField('To', [`${to}PaymentAccountId`]),
  createRuleField(
    'Arrives as',
    [`${to}Currency`, `${to}PaymentMethod`],
    ([currency, method]) => `${showOne(currency)} ${showMethod(toText(method))}`,
  ),
  createRuleField('From', [`${from}PaymentAccountId`]),
  createRuleField('Sent', [`${from}PaymentMethod`], ([method]) => showMethod(toText(method))),
  createRuleField('Customer', ['customerId']),
  createRuleField(
    'Your fee',
    [`${fee}Amount`, `${fee}Type`],
    ([amount, type]) => `${showSum(amount)} ${showOne(type)}`,
  ),
]

const pickLeaves = (leaves: Leaves, paths: readonly string[]): Leaves | undefined => {
  const picked = Object.entries(leaves).filter(([path]) => paths.includes(path))
  return picked.length === 0 ? undefined : Object.fromEntries(picked)
}

function listRuleFields({id, configuration}: WantedRule, nameAccount?: NameAccount): ShownField[] {
  const leaves = normalizeRule(configuration)
  const {customerId, transactionTemplate} = configuration
  const accounts: Readonly<Record<string, string | undefined>> = {
    To: transactionTemplate.destination.destinationPaymentAccountId,
    From: transactionTemplate.source.sourcePaymentAccountId,
  }
  const shown = new Set(ruleFields.flatMap(({paths}) => paths))
  const others = Object.entries(leaves).filter(([path]) => !shown.has(path))
  return listFields([
    ...ruleFields.map(({label, paths, show: showValues}) => {
      const account = accounts[label]
      const about = account === undefined ? undefined : nameAccount?.(customerId, account)
      const show = (value: Leaves) => showValues(paths.map((path) => value[path]))
      return createField(label, pickLeaves(leaves, paths), show, about)
    }),
    createField('Id', id),
    ...others.map(([path, value]) => createField(`Field ${showText(path)}`, value)),
  ])
}

// What people approve of a file of rules: every rule, and whether rules that the file does not have are deleted.
export const createRulesContent = (
  rules: readonly WantedRule[],
  prune: boolean,
  nameAccount?: NameAccount,
): ShownContent => ({
  fields: listFields([
    createField('Others', prune, (value) =>
      value ? 'rules that the file does not have are deleted (--prune)' : 'other rules stay',
    ),
  ]),
  list: {
    noun: 'rule',
    items: rules.map((rule) => ({fields: listRuleFields(rule, nameAccount)})),
  },
})

interface RulesReading {
  file: string
  prune: boolean
  client: Client
  journal: PayeeJournal
  isAll: boolean
}

const getPayee = ({configuration}: WantedRule) =>
  configuration.transactionTemplate.destination.destinationPaymentAccountId

export async function describeRules(
  serviceId: string,
  rules: readonly WantedRule[],
  {file, prune, client, journal, isAll}: RulesReading,
): Promise<Approvable> {
  const newPayees = await listNewPayees({serviceId, journal}, rules, getPayee)
  const named = isAll ? rules : [...rules.slice(0, itemsShownMax), ...newPayees.slice(0, linesShownMax)]
  const nameAccount = await readAccountNames(
    client,
    named.map(({configuration}) => configuration.customerId),
  )
  const describePayee = (rule: WantedRule) =>
    describeField({about: nameAccount(rule.configuration.customerId, getPayee(rule)), text: showText(getPayee(rule))})
  return {
    subject: createRulesSubject(serviceId, rules, {prune}),
    name: file,
    file,
    facts: [
      {label: 'Rules', lines: [String(rules.length)]},
      ...describePayees(new Set(rules.map(getPayee)).size, newPayees.map(describePayee)),
    ],
    content: createRulesContent(rules, prune, nameAccount),
  }
}

export const createRulesSubject = (
  serviceId: string,
  rules: readonly WantedRule[],
  {prune}: {prune: boolean},
): ApprovalSubject => ({kind: 'rules', serviceId, digest: digestContent(createRulesContent(rules, prune))})

// Makes sure that a file of rules, which pay again and again, was approved, and that its payees need not wait. Returns what records
// whose approvals were used, to be called when it is certain that something will be sent.
export async function requireRulesApproval(
  request: ApprovalRequest,
  rules: readonly WantedRule[],
  withJournal: <T>(work: (journal: DecisionJournal & PayeeJournal) => Promise<T>) => Promise<T>,
): Promise<() => Promise<void>> {
  const {recordApprovals, requireApproval} = await import('../controls/approvals.ts')
  const {caller, subject, name} = request
  const approval = await requireApproval(request)
  const coolDown = getCoolDownRules(caller, approval)
  if (coolDown.coolDownMs > 0) {
    const clock = {earliest: () => Date.now()}
    const [held] = await withJournal((journal) =>
      findHeldPayees({journal, clock}, subject.serviceId, rules.map(getPayee), coolDown),
    )
    const hint = 'Have it approved with `svc approve FILE` by somebody who may, or pay the account once with `svc pay`'
    if (held) throw createPayeeWaitsError(name, held, hint)
  }
  return async () => {
    if (!approval.isApproved) return
    await withJournal((journal) => recordApprovals(journal, approval, {file: basename(name)}))
  }
}

// Checks automation rules against the limits of a profile. A rule pays on its own, so it is checked before it is activated.

// One firing is checked like one payment on an otherwise empty day: svc does not count what rules pay.
function checkRule(spending: SpendingLimits, {transactionTemplate}: RuleConfiguration): void {
  const {source, destination, amount} = transactionTemplate
  const {paymentMax, dayMax} = spending
  const isShare = readCode(amount.type) !== 'FLAT'
  if (isShare && (paymentMax ?? dayMax)) {
    throw new LimitReached('It moves a share of the balance, which cannot be checked against a cap')
  }
  const outgoing = {
    currency: source.sourceCurrency,
    amount: isShare ? '0' : amount.value,
    destination: destination.destinationPaymentAccountId,
  }
  checkSinglePayment(spending, outgoing)
  checkDay(spending, outgoing, [])
}

// Returns undefined if every rule is within the limits.
export function findRuleLimitError(caller: Caller, rules: readonly RuleConfiguration[]): SvcError | undefined {
  const problems = rules.flatMap((rule) => {
    try {
      checkRule(caller.spending ?? {}, rule)
      return []
    } catch (error) {
      if (error instanceof LimitReached) return [`${JSON.stringify(rule.name)}: ${error.message}`]
      throw error
    }
  })
  const [only = ''] = problems
  if (problems.length === 0) return undefined
  const what = problems.length === 1 ? `The rule ${only}` : `${problems.length} rules exceed the limits`
  return new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `${what} (${caller.label})`,
    hint: 'Nothing was changed; change the rule, or the limits with `svc profiles set`',
    problems: problems.length > 1 ? problems : undefined,
  })
}

export function rejectRulesOverLimit(caller: Caller, rules: readonly RuleConfiguration[]): void {
  const error = findRuleLimitError(caller, rules)
  if (error) throw error
}
