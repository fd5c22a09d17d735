// Plays a scenario in the sandbox: customers, money, faults and time from a file, and what is expected of them.
import fs from 'node:fs'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {readTextFile} from '../../cli/body/input-file.ts'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/shared.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {getOutputWidth, getTraits, writeOut} from '../../cli/output/streams.ts'
import type {Format} from '../../cli/output/print.ts'
import {type ListResult, type Result, listResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import type {Scenario} from '../../sandbox/scenarios/read-scenario.ts'
import {type PlayedStep, playedStepView, renderStepLine} from '../../sandbox-commands/played-steps.ts'
import {getSandboxFile} from '../../storage/folders.ts'
import {type ControlChoice, openControl} from '../../sandbox-control.ts'
import {openEmbeddedSandbox} from '../../transport.ts'

export default class SandboxPlay extends SvcCommand {
  static override view = playedStepView
  static override summary = 'Play a scenario from a file, and check what it expects'
  static override description = `A scenario is a YAML or JSON file of steps: customers, verifications, accounts, money, quotes, transactions, rules, faults, webhooks, the clock, and what is expected after them. --template prints one with explanations.
The whole file is checked before the first step. A step that does not go as the file says ends the scenario with code 12, and the steps after it are not played.
Time stands still except for the steps that move it. In a sandbox that is new, or with --fresh, the same file gives the same ids, times and output.`
  static override examples = [
    {description: 'Write an example', command: 'svc sandbox play --template > scenario.yaml'},
    {description: 'Start over, and play it', command: 'svc sandbox play scenario.yaml --fresh'},
    {description: 'Only check the file', command: 'svc sandbox play scenario.yaml --dry-run'},
    {
      description: 'In CI, in a database of its own',
      command: 'svc sandbox play scenario.yaml --data ci.sqlite --fresh --json',
    },
  ]
  static override exits = getExitCodes('usage', 'finding')
  static override args = {
    file: Args.string({description: 'Scenario, YAML or JSON (- for standard input)'}),
  }
  static override flags = {
    fresh: Flags.boolean({
      summary: 'Delete everything in the sandbox first, and use the seed and start of the scenario',
    }),
    'dry-run': Flags.boolean({summary: 'Check the file without playing it', env: 'SVC_DRY_RUN'}),
    data: Flags.string({
      summary: 'Database to play in; created if it does not exist',
      helpValue: 'FILE',
    }),
    ...controlFlags,
    template: Flags.boolean({summary: 'Print an example with explanations'}),
  }

  #printsTemplate = false

  // Off a terminal, a script reads the steps as they are played.
  protected override get format(): Format {
    const {output, columns} = this.flags
    const isPlain = !this.#printsTemplate && output === undefined && columns === undefined && !getTraits('stdout').isTTY
    return super.format === 'table' && isPlain ? 'jsonl' : super.format
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(SandboxPlay)
    this.#printsTemplate = flags.template
    if (flags.template) return printTemplate()
    this.requireAll([args.file === undefined && 'FILE'])
    const {readScenario} = await import('../../sandbox/scenarios/read-scenario.ts')
    const text = await readTextFile(args.file ?? '')
    const scenario = await readScenario(text)
    if (flags['dry-run']) this.notice(`${formatSteps(scenario.steps.length)}, and no problem; nothing was played.`)
    else if (flags.url !== undefined || flags.space !== undefined) await this.#playAtServer(scenario, text, flags)
    else await this.#play(scenario, flags)
    return undefined
  }

  // A server plays the whole scenario before it answers.
  async #playAtServer(scenario: Scenario, text: string, flags: ControlChoice & {fresh: boolean}) {
    const {call} = await openControl(flags)
    const {steps} = await call('play', {scenario: text, fresh: flags.fresh})
    await this.#report(scenario, toAsyncSteps(steps))
  }

  async #report(scenario: Scenario, steps: AsyncIterable<PlayedStep>): Promise<void> {
    const {createPlayFailure} = await import('../../sandbox/scenarios/play-scenario.ts')
    const last = await this.#show(scenario, steps)
    if (last && !last.ok) throw createPlayFailure(last)
    this.notice(`${formatSteps(scenario.steps.length)}, all as expected.`)
  }

  async #play(scenario: Scenario, flags: {data?: string | undefined; fresh: boolean}): Promise<void> {
    const {playScenario} = await import('../../sandbox/scenarios/play-scenario.ts')
    const file = flags.data ?? getSandboxFile()
    const isFresh = flags.fresh || !fs.existsSync(file)
    const sandbox = await openEmbeddedSandbox(file)
    try {
      await this.#report(scenario, playScenario(sandbox, scenario, {isFresh}))
      if (isFresh && sandbox.clock.status().frozen) {
        this.notice('The clock of the sandbox stands still; `svc sandbox clock run` starts it.')
      }
    } finally {
      sandbox.close()
    }
  }

  // Returns the last step that was played.
  async #show({name}: Scenario, steps: AsyncIterable<PlayedStep>): Promise<PlayedStep | undefined> {
    let last: PlayedStep | undefined
    async function* toPages() {
      for await (const step of steps) {
        last = step
        yield {items: [step], envelope: {...(name !== undefined && {name}), steps: []}}
      }
    }
    const pages = toPages()
    if (this.isSilent) for await (const _ of pages);
    else if (this.format === 'table' && this.columns === undefined) await writeLines(pages)
    else await this.show({kind: 'list', key: 'steps', view: playedStepView, pages})
    return last
  }
}

async function* toAsyncSteps(steps: readonly PlayedStep[]) {
  yield* steps
}

const formatSteps = (count: number) => (count === 1 ? '1 step' : `${count} steps`)

// One line for each step, as it is played.
async function writeLines(pages: ListResult['pages']): Promise<void> {
  const painter = await createPainter(getTraits('stdout'))
  for await (const {items} of pages) {
    for (const step of items as PlayedStep[]) await writeOut(renderStepLine(step, painter, getOutputWidth()))
  }
}

async function printTemplate(): Promise<Result> {
  const {actionMeanings, scenarioTemplate} = await import('../../sandbox/scenarios/scenario-template.ts')
  const actions = Object.entries(actionMeanings).map(([path, meaning]) => ({path, meaning}))
  const columns = [{name: 'path', header: 'FIELD', value: ({path}: {path: string}) => path, rank: 0}]
  return listResult(actions, 'fields', {singular: 'field', plural: 'fields', columns}, {render: () => scenarioTemplate})
}
