// The automation rules, and the page of one: when it fires, what it moves, and the transactions of its wallet.
import {describeSchedule} from '../../../values/describe-schedule.ts'
import {readText} from '../../../values/records.ts'
import {endSentence} from '../../../values/text.ts'
import {getCurrencyLabel, readCode} from '../../../contract/loose.ts'
import {type Content, html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, cutPage, paths, tryRead} from '../context.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toText} from '../../format.ts'
import {
  type Column,
  renderCard,
  renderFacts,
  renderItemLink,
  renderLead,
  renderOutcome,
  renderTimeline,
} from '../../parts.ts'
import type {LooseRule, RuleActivity} from '../source.ts'
import {
  type CustomerNames,
  createCustomerNameColumns,
  findCustomerNames,
  renderList,
  renderItem,
  renderOwnerLink,
  renderPartyName,
} from './list-page.ts'
import {renderRelatedTransactions} from './transactions.ts'

const transactionsMax = 10

const getCurrency = ({transactionTemplate}: LooseRule) =>
  toText(getCurrencyLabel(transactionTemplate?.source?.sourceCurrency))

function describeTrigger(rule: LooseRule): string {
  const {trigger} = rule
  if (readCode(trigger?.type) === 'TIME_BASED') return describeSchedule(toText(trigger?.cronSchedule))
  if (readCode(trigger?.type) === 'THRESHOLD_BASED') {
    return `When the wallet holds ${formatMoney(trigger?.thresholdAmount, getCurrency(rule))}`
  }
  return toText(trigger?.type)
}

function describeAmount(rule: LooseRule): string {
  const {type, value} = rule.transactionTemplate?.amount ?? {}
  return readCode(type) === 'PCT' ? `${toText(value)} % of the balance` : formatMoney(value, getCurrency(rule))
}

function describeRoute({transactionTemplate}: LooseRule): string {
  const {source, destination} = transactionTemplate ?? {}
  const to = [getCurrencyLabel(destination?.destinationCurrency), destination?.destinationPaymentMethod]
  return `${toText(source?.sourcePaymentMethod)} → ${to.map(toText).filter(Boolean).join(' by ')}`
}

export const createRuleColumns = (context: ConsoleContext, names?: CustomerNames): Column<LooseRule>[] => [
  {header: 'Rule', render: ({id, name}) => renderItemLink(context, {path: paths.rule, id, text: toText(name)})},
  ...createCustomerNameColumns(context, names),
  {header: 'Fires', render: describeTrigger},
  {header: 'Moves', render: describeAmount, isNumber: true},
  {header: 'Route', render: describeRoute, isMinor: true},
  {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt)},
  {header: 'ID', render: ({id}) => renderItemLink(context, {path: paths.rule, id}), isMinor: true, isShort: true},
]

export const renderRules = (context: ConsoleContext): Promise<ConsolePage> =>
  renderList<LooseRule>(context, {
    command: 'svc rules list',
    search: {label: 'Name, id, customer or account'},
    listTexts: ({id, name, customerId, transactionTemplate}) => [
      id,
      name,
      customerId,
      transactionTemplate?.source?.sourcePaymentAccountId,
      transactionTemplate?.destination?.destinationPaymentAccountId,
    ],
    // The interface does not page this list.
    readPage: async (query) => cutPage(await context.source.listRules(context.query['customer']), query),
    prepareColumns: async (items) => createRuleColumns(context, await findCustomerNames(context, items)),
    empty: html`There are no rules. <code>svc rules create</code> makes one.`,
  })

function renderActivity(rule: LooseRule, activity: RuleActivity | undefined): Content {
  const moments = [
    {at: rule.createdAt, what: 'Created'},
    ...(activity?.lastFiredAt
      ? [
          {
            at: activity.lastFiredAt,
            what: activity.lastRefusal
              ? renderStatus('REJECTED')
              : activity.firedCount === 1
                ? 'Fired once'
                : `Fired last, ${activity.firedCount} times in all`,
            detail: toText(activity.lastRefusal),
          },
        ]
      : []),
  ]
  return [
    renderTimeline('rule-timeline', moments, 'Nothing has happened yet.'),
    activity && html`<p>Next: ${activity.next}</p>`,
  ]
}

async function renderTransactionsCard(context: ConsoleContext, rule: LooseRule): Promise<Content> {
  const wallet = readText(rule.transactionTemplate?.source?.sourcePaymentAccountId)
  if (wallet === '') return undefined
  return renderRelatedTransactions(context, {
    title: 'Transactions of its wallet',
    id: 'rule-transactions',
    query: {paymentAccountId: wallet},
    countMax: transactionsMax,
    empty: 'Its wallet has no transactions yet.',
    note: `The newest ${transactionsMax}, made by this rule or otherwise: the service does not say which.`,
  })
}

// What it does, and whether it did so the last time.
function renderRuleLead(rule: LooseRule, activity?: RuleActivity): Content {
  const refusal = toText(activity?.lastRefusal)
  return renderLead(
    {
      tone: refusal === '' ? 'quiet' : 'bad',
      sentence: `${describeTrigger(rule)}, it moves ${describeAmount(rule)}.`,
    },
    '',
    refusal && endSentence(`The last time it made no payment: ${refusal}`),
  )
}

async function renderDetails(context: ConsoleContext, rule: LooseRule): Promise<Content> {
  const {source: from, destination: to, developerFee} = rule.transactionTemplate ?? {}
  return renderFacts([
    ['Customer', await renderOwnerLink(context, rule)],
    ['Fires', describeTrigger(rule)],
    ['Schedule', toText(rule.trigger?.cronSchedule) && html`${renderCode(toText(rule.trigger?.cronSchedule))} in UTC`],
    ['Moves', describeAmount(rule)],
    ['Route', describeRoute(rule)],
    ['From', await renderPartyName(context, from?.sourcePaymentAccountId, rule)],
    ['To', await renderPartyName(context, to?.destinationPaymentAccountId, rule)],
    [
      'Developer fee',
      developerFee &&
        `${toText(developerFee.developerFeeAmount)} ${readCode(developerFee.developerFeeType) === 'USD' ? 'USD' : getCurrency(rule)}`,
    ],
    ['ID', renderCode(toText(rule.id))],
  ])
}

export async function renderRule(context: ConsoleContext): Promise<ConsolePage> {
  const {source} = context
  const id = context.query['id'] ?? ''
  return renderItem(context, {
    find: () => source.findRule(id),
    missing: html`There is no rule ${renderCode(toText(id))}.`,
    render: async (rule) => {
      const [details, activity] = await Promise.all([
        renderDetails(context, rule),
        tryRead(context, async () => source.findRuleActivity?.(id)),
      ])
      const shownActivity = renderOutcome(activity, (value) => renderActivity(rule, value))
      return {
        title: toText(rule.name) || 'Rule without a name',
        body: [
          renderRuleLead(rule, activity.value),
          html`<div class="columns" id="rule" data-live>
            ${renderCard('What happened', shownActivity)} ${renderCard('Details', details)}
          </div>`,
          await renderTransactionsCard(context, rule),
        ],
      }
    },
  })
}
