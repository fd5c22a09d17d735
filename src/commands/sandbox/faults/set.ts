// Sets how the sandbox behaves where a client must not trust a service.
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

// Zero is a lag like any other here, and says that there is none.
async function parseLagSeconds(text: string): Promise<number> {
  const [, number, unit = 's'] = lagPattern.exec(text) ?? []
  if (number !== undefined) return Number(number) * (secondsPerUnit[unit] ?? 1)
  throw badUsage(`--list-lag "${text}" is not a duration in whole seconds`, 'Write 30s, 5m or 0')
}

export default class SandboxFaultsSet extends SvcCommand {
  static override summary = 'Set how the service behaves where a client must not trust it'
  static override examples = [
    {description: 'A reused idempotency key pays twice', command: 'svc sandbox faults set --idempotency ignore'},
    {description: 'New transactions are missing from lists', command: 'svc sandbox faults set --list-lag 30s'},
    {description: 'As it was in the beginning', command: 'svc sandbox faults set --reset'},
  ]
  static override flags = {
    idempotency: Flags.custom<Behaviours['idempotency']>({
      summary: 'A reused key: replay, replay-successes, refuse, ignore, or forget-after-Nm',
      helpValue: 'HOW',
      parse: parseIdempotency,
    })(),
    'quote-use': Flags.option({
      summary: 'How often a quote makes a transaction',
      options: ['single', 'many'] as const,
    })(),
    'expired-quotes': Flags.option({summary: 'Expired quotes are', options: ['refused', 'accepted'] as const})(),
    'list-lag': Flags.custom<number>({
      summary: 'How long a new transaction is missing from lists',
      helpValue: 'DURATION',
      parse: parseLagSeconds,
    })(),
    tier: Flags.option({summary: 'Tier of the integrator', options: ['standard', 'builder'] as const})(),
    reset: Flags.boolean({summary: 'All as it was in the beginning, before anything else is set'}),
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
