// Works on the batches of the fleet until it is stopped, or until nothing is left.
import * as Flags from '@oclif/core/flags'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {onResultFlag} from '../../cli/flags/shared.ts'
import {writeErrLines} from '../../cli/output/streams.ts'
import type {Result} from '../../cli/output/result.ts'
import {paymentWrite} from '../../controls/decide.ts'
import {openNotifier} from '../../payments/context/notify-payments.ts'
import {concurrencyFlag} from '../../payouts/file/row-flags.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {readServiceTraits} from '../../transport.ts'
import {parseDuration} from '../../values/time.ts'

const concurrencyMax = 256
const graceDefault = '30s'
const listenDefault = '127.0.0.1:9464'

export default class PayoutsWork extends SvcCommand {
  static override summary = 'Pay submitted batches, as one worker of many'
  static override description = `Any number of workers on any number of hosts share the rows of \`svc payouts submit\`; each row is paid once, whatever happens to the workers (\`svc docs fleet\`). Needs a journal on PostgreSQL.
On SIGTERM, a worker takes no further row, finishes those in flight within --grace, and ends with code 0; a second signal ends it at once, and other workers settle what it left.
With --until-idle, it ends when no row is left that may be paid: with code 7 if outcomes are unknown, with 9 if rows failed, with 8 if rows are left, in a paused batch or because --timeout is over.
Where the profile wants approvals, a batch whose approvals are missing, expired or withdrawn is paused (code 10 with --until-idle, until it is resumed).
/healthz and /metrics are served on ${listenDefault} unless --listen says otherwise.
At a terminal, svc asks first. On a live profile a script gives --yes: what is paid was confirmed when it was submitted.`
  static override examples = [
    {description: 'Work until everything is paid', command: 'svc payouts work --until-idle'},
    {
      description: 'Work as a service, with a log for machines',
      command: 'svc payouts work --yes --concurrency 32 --log json --listen 0.0.0.0:9464',
    },
  ]
  static override exits = getExitCodes(
    'done',
    'usage',
    'unauthenticated',
    'unknownOutcome',
    'pending',
    'partial',
    'limit',
    'interrupted',
  )
  static override flags = {
    concurrency: concurrencyFlag(concurrencyMax),
    'until-idle': Flags.boolean({summary: 'End when no row is left to pay'}),
    listen: Flags.string({
      summary: `Where to serve /healthz and /metrics (${listenDefault}); "off" for nowhere`,
      helpValue: 'HOST:PORT',
    }),
    log: Flags.option({
      summary: 'How to log what happens (text)',
      options: ['text', 'json'] as const,
    })(),
    grace: Flags.custom<number>({
      summary: `How long to finish rows after a signal (${graceDefault})`,
      helpValue: 'DURATION',
      parse: async (text) => parseDuration(text, '--grace'),
    })(),
    'on-result': onResultFlag,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(PayoutsWork)
    const caller = await this.writer()
    const traits = await readServiceTraits(caller)
    const [{withFleet}, {work}, {parseListenAddress}] = await Promise.all([
      import('../../fleet/open-fleet.ts'),
      import('../../fleet/work.ts'),
      import('../../fleet/metrics.ts'),
    ])
    const listen = flags.listen ?? listenDefault
    const listenAddress = listen === 'off' ? undefined : parseListenAddress(listen, '--listen')
    this.checkWrite(caller, paymentWrite, flags.yes)
    const log = await this.#createLog(flags.log ?? 'text')
    const failure = await withFleet(traits.journal, async (database) => {
      const ask = {question: `Pay the batches that were submitted${describeLivePlace(caller)}?`}
      const pay = async () =>
        work({
          database,
          traits,
          caller,
          rebind: (openJournal) => this.bind(caller, openJournal),
          concurrency: flags.concurrency,
          isUntilIdle: flags['until-idle'],
          listen: listenAddress,
          isListenOptional: flags.listen === undefined,
          graceMs: flags.grace ?? parseDuration(graceDefault, '--grace'),
          timeoutMs: flags.timeout,
          log,
          notifier: await openNotifier({
            caller,
            traits,
            command: flags['on-result'],
            // The log ends its sentences by itself.
            notice: (text) => log('info', text.replace(/\.$/, '')),
          }),
          connect: this.connector(caller, {timeoutMs: undefined}),
        })
      return this.write(caller, paymentWrite, {yes: flags.yes, ask}, pay)
    })
    if (failure) throw failure
    return undefined
  }

  async #createLog(format: 'text' | 'json') {
    const {createJsonLog, createTextLog} = await import('../../fleet/work-log.ts')
    if (format === 'text') return createTextLog((text) => this.notice(text))
    return createJsonLog((line) => writeErrLines([line]))
  }
}
