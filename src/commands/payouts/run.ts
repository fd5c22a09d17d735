// Pays the rows of a file, each once under its own key, and says what became of every one.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../command.ts'
import {exitCodes} from '../../errors.ts'
import {courtesyOf} from '../../payments/payouts/courtesy.ts'
import {endingOf} from '../../payments/payouts/ending.ts'
import {Halt, haltAfter} from '../../payments/payouts/halt.ts'
import {type Surroundings, perform} from '../../payments/payouts/perform.ts'
import {type Progress, startRunProgress} from '../../payments/payouts/progress.ts'
import {rehearse, unverifiedIn} from '../../payments/payouts/rehearsal.ts'
import {type ResultFile, openResultFile, resultFileFor} from '../../payments/payouts/result-file.ts'
import {type PayoutRow, readPayouts, refuseFile} from '../../payments/payouts/rows.ts'
import type {Batch} from '../../payments/payouts/run.ts'
import {streamedResult} from '../../payments/payouts/streamed.ts'
import {drawSummary} from '../../payments/payouts/summary.ts'
import {surveyed} from '../../payments/payouts/survey.ts'
import {sumsInWords} from '../../payments/payouts/totals.ts'
import {allowancesOf} from '../../payments/spending.ts'
import {type OpenWorld, openWorld} from '../../payments/world-of.ts'
import type {Caller} from '../../profiles/caller.ts'
import {yesFlag} from '../../terminal/body-flags.ts'
import {wholeNumber} from '../../terminal/flags.ts'
import {type Result, listResult} from '../../terminal/result.ts'
import {payoutView} from '../../terminal/views/payouts.ts'
import {placeOf} from '../../transport.ts'

const write = {method: 'POST', path: '/transactions', judged: true}
const concurrencyDefault = 4
const concurrencyMax = 64

type Prepared = Omit<Batch, 'onBegin' | 'onEnd' | 'world'> & {world: OpenWorld}

interface Target {
  file: ResultFile | undefined
  name: string | undefined
}

export default class PayoutsRun extends SvcCommand {
  static override view = payoutView
  static override summary = 'Pay the rows of a file, each of them once'
  static override description = `The file is CSV with a header, JSON lines, or YAML; its columns have the names of the flags of \`svc pay\`, and key is the name of a payment for ever (docs/payouts.md).
Every row is checked before the first is sent. Run again, it goes on where it stopped: what was made is only reported, what is unknown is settled first.
Ctrl-C finishes the rows under way; once more ends at once. What became of every row is in the result file, FILE.result.csv.
--dry-run pays nothing: it adds up, looks at the customers and at the limits, and with --with-quotes asks for every price.`
  static override examples = [
    {description: 'See what it would come to', command: 'svc payouts run payroll.csv --dry-run --with-quotes'},
    {description: 'Pay it, and again until all rows are made', command: 'svc payouts run payroll.csv'},
    {
      description: 'From a script, with an end to failures',
      command: 'svc payouts run payroll.csv --yes --stop-after 10 -o jsonl --result done.csv',
    },
  ]
  static override exits = [exitCodes.usage, exitCodes.unknown, exitCodes.partly, exitCodes.limit, exitCodes.interrupted]
  static override args = {
    file: Args.string({description: 'File with the payouts; - is standard input', required: true}),
  }
  static override flags = {
    concurrency: Flags.custom<number>({
      summary: `Rows that are paid at the same time (${concurrencyDefault})`,
      env: 'SVC_CONCURRENCY',
      helpValue: 'N',
      parse: wholeNumber(1, concurrencyMax),
    })(),
    'stop-after': Flags.custom<number>({
      summary: 'Begin no further row after this many failures',
      helpValue: 'N',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    })(),
    result: Flags.string({
      summary: 'Where to write what became of every row (FILE.result.csv)',
      helpValue: 'FILE',
      exclusive: ['dry-run'],
    }),
    'dry-run': Flags.boolean({summary: 'Check everything, add up, and pay nothing', env: 'SVC_DRY_RUN'}),
    'with-quotes': Flags.boolean({summary: 'With --dry-run: ask for the price of every row', dependsOn: ['dry-run']}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsRun)
    const {rows, remarks} = await readPayouts(args.file)
    for (const remark of remarks) this.notice(remark)
    const caller = await this.caller()
    const isDry = flags['dry-run']
    this.refuseWrite(
      caller,
      isDry ? {method: flags['with-quotes'] ? 'POST' : 'GET', path: '/quotes'} : write,
      flags.yes,
    )
    const name = isDry ? undefined : resultFileFor(args.file, flags.result)
    const file = name === undefined ? undefined : await openResultFile(name)
    const batch = await this.#prepared(caller, rows, flags)
    try {
      refuseFile(args.file, batch.survey.problems)
      if (isDry) return await this.#rehearsed(batch, flags['with-quotes'])
      await this.#agree(caller, batch, flags.yes)
    } catch (error) {
      batch.world.close()
      throw error
    }
    return this.#paid(batch, {file, name})
  }

  async #prepared(
    caller: Caller,
    rows: PayoutRow[],
    {concurrency, 'stop-after': stopAfter}: {concurrency?: number | undefined; 'stop-after'?: number | undefined},
  ): Promise<Prepared> {
    const halt = new Halt()
    const courtesy = courtesyOf(halt)
    const world = await openWorld({
      ...allowancesOf(caller),
      isGrouped: true,
      // --timeout is for the run: what is sent must not be cut off by it.
      connect: (onReply) =>
        this.client(caller, {
          timeoutMs: undefined,
          onReply(reply) {
            onReply(reply)
            courtesy.hear(reply)
          },
        }),
    })
    const place = await placeOf(caller)
    const survey = surveyed(world.journal, place, rows)
    return {world, place, rows, survey, halt, courtesy, concurrency: concurrency ?? concurrencyDefault, stopAfter}
  }

  // One yes for the whole file, and none where nothing is left to pay.
  async #agree(caller: Caller, {rows, survey}: Prepared, yes: boolean): Promise<void> {
    const open = rows.filter(({key}) => survey.known.get(key)?.state !== 'CREATED')
    if (open.length === 0) return
    const before = rows.length - open.length
    const words = `${sumsInWords(open)}${before > 0 ? `; ${before} of the file are made already` : ''}.`
    await this.guardWrite(caller, write, yes, {words})
  }

  #progress(total: number): Progress {
    const isQuiet = this.flags.quiet ?? false
    const isShared = this.format === 'jsonl' && process.stdout.isTTY
    return startRunProgress({total, isQuiet, isShared, notice: (text) => this.notice(text)})
  }

  async #rehearsed(batch: Prepared, withQuotes: boolean): Promise<Result> {
    const {world, rows} = batch
    const progress = this.#progress(rows.length)
    try {
      const {results, first} = await rehearse({
        ...batch,
        client: world.client,
        withQuotes,
        onEnd: (failed) => progress.ended(failed),
      })
      for (const unverified of unverifiedIn(results, rows)) this.notice(`The customer ${unverified}.`)
      const ending = endingOf({results, first, isRehearsal: true})
      return listResult(results, 'payouts', payoutView, {draw: drawSummary, ending})
    } finally {
      progress.end()
      world.close()
    }
  }

  // With JSON lines, every row is printed as it ends; else they are printed together, in the order of the file.
  async #paid(batch: Prepared, target: Target): Promise<Result> {
    if (this.format === 'jsonl' && !this.flags.quiet) {
      return streamedResult(async (onResult) => (await this.#performed(batch, target, onResult)).ending)
    }
    const {results, ending} = await this.#performed(batch, target)
    return this.written(listResult(results, 'payouts', payoutView, {draw: drawSummary, ending}))
  }

  async #performed(batch: Prepared, {file, name}: Target, onResult?: Surroundings['onResult']) {
    const {halt, world, rows} = batch
    const callOff = haltAfter(halt, this.flags.timeout)
    const surroundings = {
      resultFile: file,
      progress: this.#progress(rows.length),
      notice: (text: string) => this.notice(text),
    }
    try {
      const {results, first} = await perform(batch, {...surroundings, onResult})
      if (name !== undefined) this.notice(`What became of every row is in ${name}.`)
      const isQuiet = this.flags.quiet ?? false
      return {results, ending: endingOf({results, first, reason: halt.reason, isQuiet})}
    } finally {
      callOff()
      world.close()
    }
  }
}
