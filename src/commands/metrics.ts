// Prints the metrics of the fleet once, for a text-file collector.
import {SvcCommand} from '../cli/command.ts'
import type {Result} from '../cli/output/result.ts'
import {writeOut} from '../cli/output/streams.ts'
import {readServiceTraits} from '../transport.ts'

export default class Metrics extends SvcCommand {
  static override summary = 'Print the metrics of the fleet once'
  static override description =
    'The text is that of /metrics of `svc payouts work`, as Prometheus reads it. Needs a journal on PostgreSQL.'
  static override examples = [
    {description: 'Print the metrics of the default profile', command: 'svc metrics'},
    {
      description: 'For the text-file collector of the node exporter',
      command: 'svc metrics > /var/lib/node_exporter/svc.prom',
    },
  ]

  async run(): Promise<Result> {
    await this.parse(Metrics)
    const caller = await this.caller()
    const {readMetrics} = await import('../fleet/work/metrics.ts')
    await writeOut(await readMetrics(await readServiceTraits(caller), caller.spending ?? {}))
    return undefined
  }
}
