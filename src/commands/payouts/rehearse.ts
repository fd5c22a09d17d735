// Rehearses a payout file in a sandbox, with kills, faults and jumps of the clock.
import {randomInt} from 'node:crypto'
import path from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {briefReads} from '../../customers/customer-names.ts'
import {formatDuration} from '../../values/time.ts'
import {wholeNumberParser} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {getProgram} from '../../cli/config.ts'
import {SvcError, badUsage, getExitCodes} from '../../errors.ts'
import {concurrencyDefault} from '../../payouts/run/run.ts'
import type {RehearsalProgress, RehearsalReport, RehearsalSettings} from '../../payouts/rehearse/rehearse-file.ts'
import {rehearsalView} from '../../payouts/rehearse/report-view.ts'
import {type ServiceAccess, readCompletePayouts} from '../../payouts/file/readiness.ts'
import {requireProfile} from '../../profiles/profiles.ts'
import {readServiceTraits} from '../../transport.ts'

const killsDefault = 20
const killsMax = 100_000
const seedMax = 2 ** 31 - 1
const concurrencyMax = 64

export default class PayoutsRehearse extends SvcCommand {
  static override view = rehearsalView
  static override summary = 'Rehearse a payout file in a sandbox, with kills and faults'
  static override description = `Pays the file in a sandbox of its own, by real processes of svc that are killed (kill -9) again and again, while the service fails and its clock jumps. After each round, every row must have been paid exactly once, by the service’s list, the journal and the ledger. Customers and accounts that the sandbox lacks are stood in for.
--like takes the caps and the duplicate window from a profile, never its credential or its address. Nothing is sent to any service, and nothing is left. Ids that are shortened, and currencies and methods that are missing, are looked up as a run does, by reading alone.
The verdict is printed with its seed; --seed repeats the plan of kills and jumps. Code 12: something went wrong. Code 9: all went well, but rows were not paid, such as for a limit.`
  static override examples = [
    {description: 'Rehearse the payroll', command: 'svc payouts rehearse payroll.csv'},
    {
      description: 'Rehearse it under the limits of a profile, with 200 kills',
      command: 'svc payouts rehearse payroll.csv --kills 200 --faults realistic --like acme',
    },
    {description: 'Repeat a rehearsal', command: 'svc payouts rehearse payroll.csv --kills 200 --seed 4711 --json'},
  ]
  static override exits = getExitCodes('usage', 'partial', 'finding', 'interrupted')
  static override args = {
    file: Args.string({description: 'File with the payouts', required: true}),
  }
  static override flags = {
    kills: Flags.custom<number>({
      summary: `How many processes to kill (${killsDefault})`,
      helpValue: 'N',
      parse: wholeNumberParser(0, killsMax),
    })(),
    faults: Flags.option({
      summary: 'How the service fails (realistic)',
      options: ['realistic', 'none'] as const,
    })(),
    like: Flags.string({summary: 'Take caps and knowledge of the service from this profile', helpValue: 'PROFILE'}),
    seed: Flags.custom<number>({
      summary: 'Seed of the plan, to repeat a rehearsal',
      helpValue: 'N',
      parse: wholeNumberParser(0, seedMax),
    })(),
    concurrency: Flags.custom<number>({
      summary: `Number of rows to pay at the same time, at most (${concurrencyDefault})`,
      helpValue: 'N',
      parse: wholeNumberParser(1, concurrencyMax),
    })(),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsRehearse)
    if (args.file === '-') throw badUsage('A rehearsal reads its file again and again', 'Name a file')
    const like = await this.#readProfile(flags.like)
    const {rows, text} = await readCompletePayouts(args.file, () => this.#openAccess())
    const kills = flags.kills ?? killsDefault
    const seed = flags.seed ?? randomInt(seedMax)
    this.notice(`${kills} kills, from seed ${seed}.`)
    const report = await this.#rehearse(kills, {
      ...like,
      rows,
      text,
      file: path.resolve(args.file),
      command: getProgram(this.config),
      kills,
      seed,
      faults: flags.faults ?? 'realistic',
      concurrency: flags.concurrency ?? concurrencyDefault,
    })
    const verdict = report.wrong.length === 0 ? ('SAFE' as const) : ('UNSAFE' as const)
    const shown = {...report, verdict, ...(flags.like !== undefined && {like: flags.like})}
    return itemResult(shown, rehearsalView, createFailure(report))
  }

  // Reads the accounts that decide a route, and the ids that a shortened one stands for, as a run would.
  async #openAccess(): Promise<ServiceAccess> {
    const caller = await this.caller()
    return {traits: await readServiceTraits(caller), connect: this.connector(caller, briefReads)}
  }

  async #readProfile(name: string | undefined): Promise<Pick<RehearsalSettings, 'like' | 'behaviours'>> {
    // The sandbox honours keys.
    if (name === undefined) return {like: {resend: 'yes'}, behaviours: {}}
    const {limits, resend, duplicateWindow} = requireProfile(name)
    return {
      like: {
        ...(limits && {limits}),
        ...(resend && {resend}),
        ...(duplicateWindow && {duplicateWindow}),
      },
      behaviours: {},
    }
  }

  async #rehearse(kills: number, settings: Omit<RehearsalSettings, 'onProgress'>): Promise<RehearsalReport> {
    const {rehearseFile} = await import('../../payouts/rehearse/rehearse-file.ts')
    const startedMs = performance.now()
    let progress: RehearsalProgress = {kills: 0, round: 1, runs: 0}
    const render = () =>
      `${progress.kills} of ${kills} kills · round ${progress.round} · ${progress.runs} runs · ${formatDuration(performance.now() - startedMs)}`
    const {startLiveLine} = await import('../../cli/output/live-line.ts')
    const line = canShowLiveLine() && !this.flags.quiet ? startLiveLine(render) : undefined
    try {
      return await rehearseFile({...settings, onProgress: (next) => void (progress = next)})
    } finally {
      line?.end()
    }
  }
}

function createFailure({wrong, unpaid, rows, seed}: RehearsalReport): SvcError | undefined {
  if (wrong.length > 0) {
    return new SvcError({
      error: 'UNSAFE',
      kind: 'finding',
      message: `${wrong.length === 1 ? 'Something' : `${wrong.length} things`} went wrong: ${wrong[0]}`,
      hint: `Repeat it with --seed ${seed}, and report it as a bug in svc`,
    })
  }
  if (unpaid.length === 0) return undefined
  return new SvcError({
    error: 'PARTLY_DONE',
    kind: 'partial',
    message: `Nothing was paid twice or lost, but ${unpaid.length} of ${rows} rows were not paid`,
    hint: '`svc payouts run FILE --dry-run` checks the file',
  })
}
