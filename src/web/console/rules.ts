// Automation rules: when one fires, what it moves, and the transactions of its wallet.
import {getCurrencyLabel, readCode} from '../../contract/loose.ts'
import {describeSchedule} from '../../values/describe-schedule.ts'
import {readText} from '../../values/records.ts'
import {formatMoney, renderTime, toCurrency, toText} from '../format.ts'
import {html} from '../html.ts'
import {renderCard, renderFacts, renderItemLink, renderLead} from '../parts.ts'
import {cutPage, paths, readNewest, tryRead} from './context.ts'
import {type Noun, accountField, createIdFields, customerField, renderRelated} from './noun.ts'
import type {LooseRule} from './source.ts'
import {transactions} from './transactions.ts'

const transactionsMax = 10

const getCurrency = ({transactionTemplate}: LooseRule) => toCurrency(transactionTemplate?.source?.sourceCurrency)

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

function describeFee(rule: LooseRule) {
  const fee = rule.transactionTemplate?.developerFee
  const currency = readCode(fee?.developerFeeType) === 'USD' ? 'USD' : getCurrency(rule)
  return fee && `${toText(fee.developerFeeAmount)} ${currency}`
}

export const rules: Noun<LooseRule> = {
  title: 'Rules',
  noun: 'rule',
  path: paths.rules,
  itemPath: paths.rule,
  command: 'svc rules list',
  searchLabel: 'Name, id, customer or account',
  empty: html`There are no rules. <code>svc rules create</code> makes one.`,
  // The interface does not page this list.
  list: async (source, page, owner) => cutPage({items: await source.listRules(owner), isCut: false}, page),
  fields: (context, names) => [
    {header: 'Rule', render: ({id, name}) => renderItemLink(context, {path: paths.rule, id, text: toText(name)})},
    ...customerField(context, names),
    {header: 'Fires', render: describeTrigger},
    {header: 'Moves', render: describeAmount, isNumber: true},
    {header: 'Route', render: describeRoute, isMinor: true},
    accountField(context, names, 'From', (r) => r.transactionTemplate?.source?.sourcePaymentAccountId),
    accountField(context, names, 'To', (r) => r.transactionTemplate?.destination?.destinationPaymentAccountId),
    {header: 'Developer fee', render: describeFee, only: 'page'},
    {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt)},
    ...createIdFields<LooseRule>(context, paths.rule, ({id}) => id),
  ],
  find: ({source}, id) => source.findRule(id),
  show: async (context, rule) => {
    const {source} = context
    const wallet = readText(rule.transactionTemplate?.source?.sourcePaymentAccountId)
    const {value: facts} = await tryRead(context, async () => source.listRuleFacts?.(readText(rule.id)))
    return {
      title: toText(rule.name) || 'Rule without a name',
      lead: renderLead({tone: 'quiet', sentence: `${describeTrigger(rule)}, it moves ${describeAmount(rule)}.`}),
      related: [
        facts && renderCard('In the sandbox', renderFacts(facts)),
        wallet !== '' &&
          (await renderRelated(context, transactions, {
            title: 'Transactions of its wallet',
            id: 'rule-transactions',
            read: () =>
              readNewest((page) => source.listTransactions({...page, paymentAccountId: wallet}), transactionsMax),
            empty: 'Its wallet has no transactions yet.',
            note: 'Made by this rule or otherwise: the service does not say which.',
          })),
      ],
    }
  },
}
