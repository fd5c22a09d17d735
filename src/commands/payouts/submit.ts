// Stores a payout file as a batch, for the workers of the fleet to pay.
import * as Flags from '@oclif/core/flags'
import path from 'node:path'
import {badUsage, getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {namesFlags} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {paymentWrite} from '../../controls/decide.ts'
import {batchView} from '../../fleet/batch-view.ts'
import {fileSlotFlags, readFileSlot} from '../../payouts/file/file-slot.ts'
import {payoutFileArgs, rowFlags} from '../../payouts/file/row-flags.ts'
import {readServiceTraits} from '../../transport.ts'
import {svc} from '../../values/text.ts'

const nameMax = 100

export default class PayoutsSubmit extends SvcCommand {
  static override view = batchView
  static override summary = 'Hand a payout file to the workers of the fleet'
  static override description = `The file is checked as \`svc payouts run\` does before its first row, and stored as a batch with all of its rows or none; \`svc payouts work\` pays it, on any number of hosts (\`svc docs fleet\`). Needs a journal on PostgreSQL.
The same file is stored once: submitted again, svc says which batch it is. With --slot '{month}', it is stored once in each month, from any cron and any number of hosts; the keys carry the slot. While the batch of an earlier slot has not ended, the next is not stored.
At a terminal, svc shows the rows as \`svc payouts run\` does, and asks before it stores the file. A script needs --yes on a live profile.`
  static override examples = [
    {description: 'Submit a payroll', command: 'svc payouts submit payroll.csv'},
    {
      description: 'Submit it once a month, from cron',
      command: "svc payouts submit payroll.csv --slot '{month}' --yes --quiet",
    },
  ]
  static override exits = getExitCodes('usage', 'unknownOutcome', 'limit')
  static override args = payoutFileArgs
  static override flags = {
    name: Flags.string({summary: 'Name of the batch (the name of the file)', helpValue: 'TEXT'}),
    ...rowFlags,
    ...fileSlotFlags,
    ...namesFlags,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsSubmit)
    const name = flags.name ?? (args.file === '-' ? 'standard input' : path.basename(args.file))
    if (name.trim() === '' || name.length > nameMax) {
      throw badUsage(`--name must have 1 to ${nameMax} characters`, 'Nothing was stored')
    }
    const slot = readFileSlot(flags)
    const caller = await this.writer()
    const traits = await readServiceTraits(caller)
    this.checkWrite(caller, paymentWrite, flags.yes)
    const [{withFleet}, {submit}] = await Promise.all([
      import('../../fleet/open-fleet.ts'),
      import('../../fleet/submit.ts'),
    ])
    const {batch, isKnown} = await withFleet(traits.journal, (database) =>
      submit({
        database,
        caller,
        traits,
        file: args.file,
        name,
        slot,
        isUpToCap: flags['up-to-cap'],
        allowsDuplicates: flags['allow-duplicates'],
        hasNames: !flags['no-names'],
        timeoutMs: flags.timeout,
        notice: (text) => this.notice(text),
        confirm: (ask) => this.authorize(caller, paymentWrite, {yes: flags.yes, ask}),
        connect: this.connector(caller),
      }),
    )
    if (isKnown) this.notice(`This file is already the batch ${batch.id}; nothing was stored.`)
    else this.notice(`Stored as batch ${batch.id}. See how far it is: ${svc`payouts status ${batch.id}`}`)
    return this.finishWrite(itemResult(batch, batchView))
  }
}
