// Judges a file of a customer without sending anything.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {checkCustomerBody, checkView, confirmReady} from '../../customers/check-body.ts'
import {submissionFlags} from '../../customers/flags.ts'

export default class CustomersCheck extends SvcCommand {
  static override view = checkView
  static override exits = getExitCodes('usage')
  static override summary = 'Check a KYC or KYB file without sending it'
  static override description = `Makes the checks of \`customers create\` and \`customers update\`, documents included, and says what verification is known to refuse: no government ID, a person under 18, an expired document, another country. It needs no profile and no network.
All that is wrong is listed at once (exit code 2). --partial is for a correction, which need not be complete.`
  static override examples = [
    {description: 'Check a file', command: 'svc customers check -f kyc.yaml'},
    {
      description: 'Check a correction of a few fields',
      command: 'svc customers check --partial --set kycData.phoneNumber=+12025550123',
    },
  ]
  static override flags = {
    file: submissionFlags.file,
    set: submissionFlags.set,
    'kyc-file': submissionFlags['kyc-file'],
    'kyb-file': submissionFlags['kyb-file'],
    partial: Flags.boolean({summary: 'The data corrects what was submitted before, and need not be complete'}),
    'accept-warnings': Flags.boolean({summary: 'Warn only, unless the request itself would be rejected'}),
    'allow-unknown-fields': Flags.boolean({summary: 'Accept fields that the interface does not have'}),
  }

  async run() {
    const {flags} = await this.parse(CustomersCheck)
    const isGiven = flags.file ?? flags['kyc-file'] ?? flags['kyb-file'] ?? flags.set
    this.requireAll([isGiven === undefined && '--file'])
    const checked = await checkCustomerBody(flags, {
      isPartial: flags.partial,
      allowsUnknownFields: flags['allow-unknown-fields'],
    })
    const notice = (text: string) => this.notice(text)
    await confirmReady(checked, {isAccepted: flags['accept-warnings'], canAsk: false, notice})
    const {problems: _, warnings, refusals, ...ready} = checked
    return itemResult({ready: true, ...ready, warnings: [...warnings, ...refusals]}, checkView)
  }
}
