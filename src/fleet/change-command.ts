// What `svc payouts pause`, `resume` and `cancel` have in common: they change a batch of the fleet, if the profile may write.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../cli/command.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {getExitCodes} from '../errors.ts'
import {readServiceTraits} from '../transport.ts'
import {batchView, renderProgress} from './batch-view.ts'
import type {BatchChange} from './change-batch.ts'

// Whether a worker may pay a batch that was resumed is decided when it does.
const write = {method: 'PATCH', path: '/batches'}

export const batchArgs = {batch: Args.string({description: 'Batch, by its id or name', required: true})}

export abstract class ChangeBatchCommand extends SvcCommand {
  static override view = batchView
  static override exits = getExitCodes('usage', 'notFound')

  protected async change(reference: string, change: BatchChange, next: (id: string) => string): Promise<Result> {
    const caller = await this.writer(write, true)
    const traits = await readServiceTraits(caller)
    const {changeBatch} = await import('./change-batch.ts')
    const summary = await changeBatch(traits, reference, change)
    this.notice(`The batch ${summary.id} is ${summary.state}: ${renderProgress(summary)}.`)
    return this.finishWrite(itemResult(summary, batchView), [`Next: ${next(summary.id)}`])
  }
}
