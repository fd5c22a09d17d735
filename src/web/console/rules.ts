// Automation rules: when one fires, what it moves, and the transactions of its wallet.
import {getCurrencyLabel, readCode} from '../../contract/loose.ts'
import {describeSchedule} from '../../values/describe-schedule.ts'
import {readText} from '../../values/records.ts'
import {endSentence} from '../../values/text.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toCurrency, toText} from '../format.ts'
import {html} from '../html.ts'
import {type Moment, renderItemLink, renderLead} from '../parts.ts'
import {cutPage, paths, tryRead} from './context.ts'
import {type Noun, customerColumn, renderCustomer, renderParty, renderRelated} from './noun.ts'
import type {LooseRule, RuleActivity} from './source.ts'
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

function listMoments({createdAt}: LooseRule, activity: RuleActivity | undefined): Moment[] {
  const {lastFiredAt, lastRefusal, firedCount = 0} = activity ?? {}
  const fired = {
    at: lastFiredAt,
    what: lastRefusal
      ? renderStatus('REJECTED')
      : firedCount === 1
        ? 'Fired once'
        : `Fired last, ${firedCount} times in all`,
    detail: toText(lastRefusal),
  }
  return [{at: createdAt, what: 'Created'}, ...(lastFiredAt ? [fired] : [])]
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
  list: async (source, page, owner) => cutPage(await source.listRules(owner), page),
  columns: (context, names) => [
    {header: 'Rule', render: ({id, name}) => renderItemLink(context, {path: paths.rule, id, text: toText(name)})},
    ...customerColumn(context, names),
    {header: 'Fires', render: describeTrigger},
    {header: 'Moves', render: describeAmount, isNumber: true},
    {header: 'Route', render: describeRoute, isMinor: true},
    {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt)},
    {header: 'ID', render: ({id}) => renderItemLink(context, {path: paths.rule, id}), isMinor: true, isShort: true},
  ],
  find: ({source}, id) => source.findRule(id),
  show: async (context, rule) => {
    const {source: from, destination: to, developerFee: fee} = rule.transactionTemplate ?? {}
    const read = await tryRead(context, async () => context.source.findRuleActivity?.(readText(rule.id)))
    const refusal = toText(read.value?.lastRefusal)
    const [cron, wallet] = [toText(rule.trigger?.cronSchedule), readText(from?.sourcePaymentAccountId)]
    const feeCurrency = readCode(fee?.developerFeeType) === 'USD' ? 'USD' : getCurrency(rule)
    return {
      title: toText(rule.name) || 'Rule without a name',
      // What it does, and whether it did so the last time.
      lead: renderLead(
        {
          tone: refusal === '' ? 'quiet' : 'bad',
          sentence: `${describeTrigger(rule)}, it moves ${describeAmount(rule)}.`,
        },
        '',
        refusal && endSentence(`The last time it made no payment: ${refusal}`),
      ),
      timeline: {
        moments: listMoments(rule, read.value),
        note: read.failure ?? (read.value && `Next: ${read.value.next}`),
      },
      cards: [
        [
          'Details',
          [
            ['Customer', await renderCustomer(context, rule)],
            ['Fires', describeTrigger(rule)],
            ['Schedule', cron && html`${renderCode(cron)} in UTC`],
            ['Moves', describeAmount(rule)],
            ['Route', describeRoute(rule)],
            ['From', await renderParty(context, from?.sourcePaymentAccountId, rule)],
            ['To', await renderParty(context, to?.destinationPaymentAccountId, rule)],
            ['Developer fee', fee && `${toText(fee.developerFeeAmount)} ${feeCurrency}`],
            ['ID', renderCode(toText(rule.id))],
          ],
        ],
      ],
      related:
        wallet !== '' &&
        (await renderRelated(context, transactions, {
          title: 'Transactions of its wallet',
          id: 'rule-transactions',
          read: () => context.source.listTransactions({paymentAccountId: wallet, pageSize: transactionsMax}),
          countMax: transactionsMax,
          empty: 'Its wallet has no transactions yet.',
          note: `The newest ${transactionsMax}, made by this rule or otherwise: the service does not say which.`,
        })),
    }
  },
}
