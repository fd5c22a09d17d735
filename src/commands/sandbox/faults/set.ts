// Sets how the sandbox behaves where the interface does not say: keys, quotes, lists, outcomes and the Date of replies.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {badUsage} from '../../../errors.ts'
import type {Behaviours} from '../../../sandbox/service/faults/behaviours.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {behavioursView} from '../../../sandbox/views/requests-and-faults.ts'
import {openControl} from '../../../sandbox-control.ts'
import {requireKnowledge} from '../../../transport.ts'
import {omitUndefined} from '../../../values/records.ts'

const secondsPattern = /^(-?\d{1,7})(s|m|h)?$/
const secondsPerUnit: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600}

async function parseIdempotency(text: string): Promise<Behaviours['idempotency']> {
  const {idempotencyPattern} = await import('../../../sandbox/service/faults/behaviours.ts')
  if (idempotencyPattern.test(text)) return text as Behaviours['idempotency']
  throw badUsage(
    `--idempotency "${text}" is none of replay, replay-successes, replay-any-body, refuse, refuse-other-body, per-body, forget-after-Nm, ignore`,
    'forget-after-Nm takes a number of minutes, such as forget-after-30m',
  )
}

// Accepts 0, and a minus sign if the seconds can be negative, neither of which parseDuration does.
function secondsFlag(flag: string, summary: string, {isSigned = false} = {}) {
  const example = isSigned ? '90s, -5m or 0' : '30s, 5m or 0'
  return Flags.custom<number>({
    summary,
    helpValue: 'DURATION',
    async parse(text) {
      const [, number, unit = 's'] = secondsPattern.exec(text) ?? []
      const seconds = Number(number) * (secondsPerUnit[unit] ?? 1)
      if (number !== undefined && (isSigned || !text.startsWith('-'))) return seconds
      throw badUsage(`--${flag} "${text}" is not a duration in whole seconds`, `Write ${example}`)
    },
  })()
}

export default class SandboxFaultsSet extends SvcCommand {
  static override summary = 'Set how the sandbox treats keys, quotes and lists'
  static override description = `--idempotency decides what a reused key gets: replay (the first answer again), replay-successes (the first answer, unless it was an error), replay-any-body (the first answer for another body too), refuse (an error), ignore (a new transaction), forget-after-Nm (the first answer for N minutes), per-body (the first answer for the same body, a new transaction for another one), refuse-other-body (the first answer for the same body, 422 for another one).
With --transaction-outcome, new transactions end that way immediately, or after --outcome-after.
With --like, all behaviours are reset first, and then set to what \`svc probe\` found out about the service of a profile.`
  static override examples = [
    {description: 'Let a reused idempotency key pay twice', command: 'svc sandbox faults set --idempotency ignore'},
    {description: 'Hide new transactions from lists for 30 seconds', command: 'svc sandbox faults set --list-lag 30s'},
    {
      description: 'Let new transactions fail after two minutes',
      command: 'svc sandbox faults set --transaction-outcome failed --outcome-after 2m',
    },
    {
      description: 'Behave like the service of a profile, which was probed',
      command: 'svc sandbox faults set --like acme',
    },
    {description: 'Reset all behaviours', command: 'svc sandbox faults set --reset'},
  ]
  static override flags = {
    idempotency: Flags.custom<Behaviours['idempotency']>({
      summary: 'What happens to a reused key: replay, ignore, per-body or another (see above)',
      helpValue: 'HOW',
      parse: parseIdempotency,
    })(),
    'quote-use': Flags.option({
      summary: 'How many transactions a quote can create',
      options: ['single', 'many'] as const,
    })(),
    'expired-quotes': Flags.option({
      summary: 'What happens to expired quotes',
      options: ['refused', 'accepted'] as const,
    })(),
    'list-lag': secondsFlag('list-lag', 'How long new transactions are missing from lists'),
    'list-order': Flags.option({
      summary: 'Order of lists',
      options: ['newest-first', 'oldest-first'] as const,
    })(),
    'page-token-life': secondsFlag('page-token-life', 'How long page tokens work (0: forever)'),
    'transaction-outcome': Flags.option({
      summary: 'How new transactions end',
      options: ['completed', 'failed', 'cancelled', 'expired'] as const,
    })(),
    'outcome-after': secondsFlag('outcome-after', 'When new transactions end badly (0: immediately)'),
    'date-skew': secondsFlag('date-skew', 'How far the Date of replies is ahead of the clock', {isSigned: true}),
    'date-header': Flags.option({summary: 'Whether replies have a Date', options: ['sent', 'left-out'] as const})(),
    tier: Flags.option({summary: 'Tier of the integrator', options: ['standard', 'builder'] as const})(),
    like: Flags.string({summary: 'Behave like the probed service of this profile', helpValue: 'PROFILE'}),
    reset: Flags.boolean({summary: 'Reset all behaviours to their defaults first'}),
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxFaultsSet)
    const changes = omitUndefined({
      idempotency: flags.idempotency,
      quoteUse: flags['quote-use'],
      expiredQuotes: flags['expired-quotes'],
      listLagSeconds: flags['list-lag'],
      listOrder: flags['list-order'],
      pageTokenSeconds: flags['page-token-life'],
      transactionOutcome: flags['transaction-outcome'],
      outcomeAfterSeconds: flags['outcome-after'],
      dateSkewSeconds: flags['date-skew'],
      dateHeader: flags['date-header'],
      tier: flags.tier,
    })
    if (!flags.reset && flags.like === undefined && Object.keys(changes).length === 0) {
      this.requireAll(['a behaviour, such as --idempotency or --list-lag, --like or --reset'])
    }
    const imitation = flags.like === undefined ? undefined : await this.#imitate(flags.like)
    const {call} = await openControl(flags)
    const reset = flags.reset || imitation !== undefined
    const behaviours = await call('faults.set', {reset, ...imitation?.behaviours, ...changes})
    return this.finishWrite(itemResult(imitation ? {...behaviours, like: imitation.like} : behaviours, behavioursView))
  }

  // Takes over what is known about the service of a profile, and says what is not the same, so that nobody takes it for exact.
  async #imitate(profile: string) {
    const knowledge = await requireKnowledge(profile)
    const {imitateService} = await import('../../../sandbox/service/faults/imitate-service.ts')
    const {behaviours, notKnown, differs} = imitateService(knowledge)
    const takenOver = Object.keys(behaviours)
    this.notice(
      `Taken over from profile "${profile}", probed at ${knowledge.probedAt}: ${takenOver.join(', ') || 'nothing'}.`,
    )
    if (notKnown.length > 0) this.notice(`Not known, so as by default: ${notKnown.join('; ')}.`)
    for (const difference of differs) this.notice(`The sandbox differs: ${difference}.`)
    return {behaviours, like: {profile, probedAt: knowledge.probedAt, takenOver, notKnown, differs}}
  }
}
