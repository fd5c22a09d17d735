// Makes a payment of the journal again in a sandbox of its own, step by step.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {writeErrLines} from '../../cli/output/streams.ts'
import {SvcError, getExitCodes, interrupted} from '../../errors.ts'
import {isSameEnd, readOriginal, reproduceInSandbox} from '../../payments/audit/reproduction.ts'
import type {ReproducedStep} from '../../payments/audit/script.ts'
import {describeStep, reproductionView} from '../../payments/audit/audit-view.ts'
import {readServiceTraits} from '../../transport.ts'

export default class SandboxReproduce extends SvcCommand {
  static override view = reproductionView
  // The payment may be one of any profile. Nothing is sent to its service.
  static override readsAnyProfile = true
  static override summary = 'Make a payment of the journal again in a sandbox, step by step'
  static override description = `Rebuilds what happened to a payment: the same route, quotes and prices, the same minute on a frozen clock, and a service that answers as it did, with the faults that were seen. svc pays again by its own protocol, and the journal of the reproduction gets the same lines. Where it does not, the command ends with code 12 and says so.
Everything happens in a sandbox of its own, in memory or with --data in a new file; your journal is only read, and nothing is sent to the service. Customers and accounts are stand-ins with the same ids.
In a terminal, Enter shows the next step, s all others, and q quits. Elsewhere all steps are a list.`
  static override examples = [
    {description: 'See what happened, step by step', command: 'svc sandbox reproduce rent-2026-11 -p acme'},
    {
      description: 'Send the steps to support',
      command: 'svc sandbox reproduce rent-2026-11 -p acme --json > steps.json',
    },
    {
      description: 'Keep the sandbox, and look at it in the browser',
      command: 'svc sandbox reproduce rent-2026-11 --data rent.sqlite && svc sandbox start --data rent.sqlite',
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'finding')
  static override args = {
    key: Args.string({description: 'Key of the payment', required: true}),
  }
  static override flags = {
    data: Flags.string({summary: 'New file that keeps the sandbox', helpValue: 'FILE'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(SandboxReproduce)
    const original = await readOriginal(await readServiceTraits(await this.caller()), args.key)
    const isStepwise = this.isInteractive && process.stdout.isTTY
    const onStep = isStepwise ? await this.#createStepper() : undefined
    const reproduction = await reproduceInSandbox(original, {file: flags.data, onStep})
    const {steps, divergence} = reproduction
    const isSame = isSameEnd(original.payment, reproduction)
    const failure = isSame ? undefined : createDivergenceError(args.key, divergence)
    if (!isStepwise) await this.show(listResult(steps, 'steps', reproductionView, {extraFields: {isSame}}))
    if (flags.data !== undefined) this.notice(`\`svc sandbox start --data ${flags.data}\` serves this sandbox.`)
    if (failure) throw failure
    this.notice(`${steps.length} steps, and the payment is ${original.payment.state}, as in the journal.`)
    return undefined
  }

  async #createStepper() {
    const {readChoice} = await import('../../tour/keys.ts')
    this.notice('Enter shows the next step, s all others, q quits.')
    let isStepping = true
    return async (step: ReproducedStep, total: number) => {
      const isLast = !isStepping || step.step === total
      // Keys count from the moment at which the step is shown.
      const pending = isLast ? undefined : readChoice()
      writeErrLines(describeStep(step, total))
      const choice = await pending
      if (choice === 'skip') isStepping = false
      if (choice === 'quit' || choice === 'interrupt') throw interrupted('Stopped; nothing is left of it')
    }
  }
}

const createDivergenceError = (key: string, divergence = 'it ended in another state') =>
  new SvcError({
    error: 'NOT_REPRODUCED',
    kind: 'finding',
    message: `The payment ${key} did not go the same way in the sandbox: ${divergence}`,
    hint: 'The steps until there are the same; the history of the journal has something that the sandbox does not do',
  })
