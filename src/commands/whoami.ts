// Shows the profile in use, and checks its credential with a request.
import {getExitCodes} from '../errors.ts'
import {SvcCommand} from '../cli/command.ts'
import {type CallerSummary, describeCaller} from '../profiles/organization.ts'
import {readClaims} from '../profiles/credentials.ts'
import {sandboxAddress} from '../profiles/profiles.ts'
import {itemResult} from '../cli/output/result.ts'
import {getServiceId} from '../transport.ts'
import {whoamiView} from '../profiles/view.ts'

export default class Whoami extends SvcCommand {
  static override view = whoamiView
  static override summary = 'Show who is calling: the short form of status'
  static override description =
    'Checks the credential with one request, and says nothing about what needs attention, which is `svc status`. The interface cannot be asked for the organization: without one in the profile, that of the first customer in the list is shown.'
  static override examples = [
    {description: 'Check the current profile', command: 'svc whoami'},
    {description: 'Check another profile', command: 'svc whoami -p sandbox'},
  ]
  static override exits = getExitCodes('unauthenticated', 'unreachable')

  async run() {
    await this.parse(Whoami)
    const caller = await this.caller()
    const client = await this.client(caller)
    const {customers} = await client.customers.list({pageSize: 1})
    const claims = caller.baseUrl === sandboxAddress ? undefined : await readClaims(await caller.credential(false))
    const summary: CallerSummary = {
      ...describeCaller(caller, customers),
      service: await getServiceId(caller),
      credential: claims ? 'JWT' : 'API_KEY',
      ...(claims?.expiresAt && {expiresAt: claims.expiresAt.toISOString()}),
      ...(caller.journal && {journal: caller.journal.address}),
    }
    return itemResult(summary, whoamiView)
  }
}
