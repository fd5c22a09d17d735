// Sets how the sandbox treats idempotency keys, quotes and lists.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {badUsage} from '../../../errors.ts'
import type {Behaviours} from '../../../sandbox/faults/behaviours.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {behavioursView} from '../../../sandbox/views/requests-and-faults.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

const idempotencyPattern = /^(replay|replay-successes|refuse|ignore|forget-after-[1-9]\d{0,6}m)$/
const lagPattern = /^(\d{1,7})(s|m|h)?$/
const secondsPerUnit: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600}

async function parseIdempotency(text: string): Promise<Behaviours['idempotency']> {
  if (idempotencyPattern.test(text)) return text as Behaviours['idempotency']
  throw badUsage(
    `--idempotency "${text}" is none of replay, replay-successes, refuse, ignore, forget-after-Nm`,
    'The last takes a number of minutes, such as forget-after-30m',
  )
}

// Accepts 0 for no lag, which parseDuration does not.
async function parseLagSeconds(text: string): Promise<number> {
  const [, number, unit = 's'] = lagPattern.exec(text) ?? []
  if (number !== undefined) return Number(number) * (secondsPerUnit[unit] ?? 1)
  throw badUsage(`--list-lag "${text}" is not a duration in whole seconds`, 'Write 30s, 5m or 0')
}

export default class SandboxFaultsSet extends SvcCommand {
  static override summary = 'Set how the sandbox treats keys, quotes and lists'
  static override examples = [
    {description: 'Let a reused idempotency key pay twice', command: 'svc sandbox faults set --idempotency ignore'},
    {description: 'Hide new transactions from lists for 30 seconds', command: 'svc sandbox faults set --list-lag 30s'},
    {description: 'Reset all behaviours', command: 'svc sandbox faults set --reset'},
  ]
  static override flags = {
    idempotency: Flags.custom<Behaviours['idempotency']>({
      summary: 'What happens to a reused key: replay, replay-successes, refuse, ignore, or forget-after-Nm',
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
    'list-lag': Flags.custom<number>({
      summary: 'How long new transactions are missing from lists',
      helpValue: 'DURATION',
      parse: parseLagSeconds,
    })(),
    tier: Flags.option({summary: 'Tier of the integrator', options: ['standard', 'builder'] as const})(),
    reset: Flags.boolean({summary: 'Reset all behaviours to their defaults first'}),
  }

  async run() {
    const {flags} = await this.parse(SandboxFaultsSet)
    const changes = {
      ...(flags.idempotency && {idempotency: flags.idempotency}),
      ...(flags['quote-use'] && {quoteUse: flags['quote-use']}),
      ...(flags['expired-quotes'] && {expiredQuotes: flags['expired-quotes']}),
      ...(flags['list-lag'] !== undefined && {listLagSeconds: flags['list-lag']}),
      ...(flags.tier && {tier: flags.tier}),
    }
    if (!flags.reset && Object.keys(changes).length === 0) {
      this.requireAll(['--idempotency, --quote-use, --expired-quotes, --list-lag, --tier or --reset'])
    }
    const {faults} = await openEmbeddedSandbox()
    if (flags.reset) faults.resetBehaviours()
    return this.finishWrite(itemResult(faults.setBehaviours(changes), behavioursView))
  }
}
