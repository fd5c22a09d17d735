// Adds test customers to the sandbox.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {wholeNumberParser} from '../../cli/flags/shared.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxView} from '../../sandbox/views/status.ts'
import {openControl} from '../../sandbox-control.ts'

const customersDefault = 24
const customersMax = 1_000_000

export default class SandboxSeed extends SvcCommand {
  static override view = sandboxView
  static override summary = 'Add test customers to the sandbox'
  static override description =
    'The sandbox seeds itself on first use; this adds more customers. They are the same on every machine.'
  static override examples = [
    {description: 'Add 24 customers', command: 'svc sandbox seed'},
    {description: 'Add enough customers to try paging', command: 'svc sandbox seed --customers 1000'},
  ]
  static override flags = {
    customers: Flags.custom<number>({
      summary: `Number of customers (${customersDefault})`,
      helpValue: 'N',
      parse: wholeNumberParser(1, customersMax),
    })(),
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxSeed)
    const {call} = await openControl(flags)
    const {added, ...status} = await call('seed', {customers: flags.customers})
    this.notice(`Added ${added} customers.`)
    return this.finishWrite(itemResult(status, sandboxView))
  }
}
