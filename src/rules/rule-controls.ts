// Shows people a file of rules before they approve it, and holds each rule against the limits of a
// profile.
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
import {findDayProblems, findPaymentProblems, nothingSpent} from '../controls/check-spending.ts'
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
import {getValue} from '../values/body-paths.ts'
import type {Caller} from '../profiles/caller.ts'
import {describeSchedule} from '../values/describe-schedule.ts'
import {svc} from '../values/text.ts'
import {type RuleConfiguration, normalizeRule} from './rule-configuration.ts'
import type {WantedRule} from './rule-file.ts'

const template = 'transactionTemplate'
const from = `${template}.source.source`
const to = `${template}.destination.destination`
const fee = `${template}.developerFee.developerFee`

const showSum = (value: unknown) => showAmount(toText(value))

// Values of a rule as people see them, by path. A value of any other path is shown under its path.
const ruleFields: Readonly<Record<string, {label: string; show?: (value: unknown) => string}>> = {
  name: {label: 'Name'},
  'trigger.type': {label: 'When'},
  'trigger.thresholdAmount': {label: 'At a balance of', show: showSum},
  // The words of a schedule do not tell every two expressions apart, so the expression stands
  // beside them.
  'trigger.cronSchedule': {label: 'Schedule', show: (value) => describeSchedule(showText(toText(value)))},
  [`${template}.amount.type`]: {label: 'Kind of amount'},
  [`${template}.amount.value`]: {label: 'Amount', show: showSum},
  [`${from}Currency`]: {label: 'Currency'},
  [`${to}PaymentAccountId`]: {label: 'To'},
  [`${to}Currency`]: {label: 'Arrives as'},
  [`${to}PaymentMethod`]: {label: 'Arrives', show: (value) => showMethod(toText(value))},
  [`${from}PaymentAccountId`]: {label: 'From'},
  [`${from}PaymentMethod`]: {label: 'Sent', show: (value) => showMethod(toText(value))},
  customerId: {label: 'Customer'},
  [`${fee}Amount`]: {label: 'Your fee', show: showSum},
  [`${fee}Type`]: {label: 'Currency of your fee'},
}

function listRuleFields({id, configuration}: WantedRule, nameAccount?: NameAccount): ShownField[] {
  const leaves = normalizeRule(configuration)
  const paths = [...new Set([...Object.keys(ruleFields), ...Object.keys(leaves)])]
  return listFields([
    ...paths.map((path) => {
      const {label, show} = ruleFields[path] ?? {label: `Field ${showText(path)}`}
      const about = path.endsWith('PaymentAccountId')
        ? nameAccount?.(configuration.customerId, toText(getValue(configuration, path)))
        : undefined
      return createField(label, leaves[path], show, about)
    }),
    createField('Id', id),
  ])
}

// Content that people approve of a file of rules: every rule, and whether rules that the file does
// not have are deleted.
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

// Makes sure that a file of rules, which pay again and again, was approved, and that its payees
// need not wait. Returns what records whose approvals were used, to be called when it is certain
// that something will be sent.
export async function requireRulesApproval(
  request: ApprovalRequest & {isDryRun: boolean},
  rules: readonly WantedRule[],
  withJournal: <T>(work: (journal: DecisionJournal & PayeeJournal) => Promise<T>) => Promise<T>,
): Promise<() => Promise<void>> {
  const {recordApprovals, requireApproval} = await import('../controls/approvals.ts')
  const {caller, subject, name} = request
  const approval = await requireApproval(request)
  const coolDown = getCoolDownRules(caller, approval, request.isDryRun)
  if (coolDown.coolDownMs > 0) {
    const [held] = await withJournal((journal) =>
      findHeldPayees({journal, clock: request.clock}, subject.serviceId, rules.map(getPayee), coolDown),
    )
    const hint = `Have it approved with ${svc`approve FILE`} by somebody who may, or pay the account once with ${svc`pay`}`
    if (held) throw createPayeeWaitsError(name, held, hint)
  }
  return async () => {
    if (!approval.isApproved) return
    await withJournal((journal) => recordApprovals(journal, approval, {file: basename(name)}))
  }
}

// A rule pays on its own, so it is checked before it is activated. One firing is checked like one
// payment on an otherwise empty day: svc does not count what rules pay.
function findRuleProblems(spending: SpendingLimits, {transactionTemplate}: RuleConfiguration): string[] {
  const {source, destination, amount} = transactionTemplate
  const {paymentMax, dayMax} = spending
  const isShare = readCode(amount.type) !== 'FLAT'
  if (isShare && (paymentMax ?? dayMax)) {
    return ['It moves a share of the balance, which cannot be checked against a cap']
  }

  const outgoing = {
    currency: source.sourceCurrency,
    amount: isShare ? '0' : amount.value,
    destination: destination.destinationPaymentAccountId,
  }
  return [...findPaymentProblems(spending, outgoing), ...findDayProblems(spending, outgoing, nothingSpent)]
}

// Returns undefined if every rule is within the limits.
export function findRuleLimitError(caller: Caller, rules: readonly RuleConfiguration[]): SvcError | undefined {
  const problems = rules.flatMap((rule) => {
    const [problem] = findRuleProblems(caller.spending ?? {}, rule)
    return problem === undefined ? [] : [`${JSON.stringify(rule.name)}: ${problem}`]
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
