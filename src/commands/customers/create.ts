// Creates a customer, with or without verification data.
import * as Flags from '@oclif/core/flags'
import {waitFlag} from '../../cli/flags/shared.ts'
import type {Result} from '../../cli/output/result.ts'
import {customerCreate} from '../../contract/customers.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {readCustomerBody} from '../../customers/body.ts'
import {checkBody} from '../../customers/check-body.ts'
import {createOnce} from '../../customers/create-once.ts'
import {type SubmissionFlags, documentsHelp, submissionFlags} from '../../customers/flags.ts'
import {SubmissionCommand} from '../../customers/submission-command.ts'
import {getExitCodes} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Body} from '../../values/body-paths.ts'

const write = {method: 'POST', path: '/customers'}

const flagsOfRequiredFields = {customerType: '--type', email: '--email'}

const listMissingFlags = (body: Body) =>
  Object.entries(flagsOfRequiredFields)
    .filter(([field]) => body[field] === undefined)
    .map(([, flag]) => flag)

interface CreationFlags extends SubmissionFlags {
  file?: string | undefined
  'allow-duplicates': boolean
}

const nameFlag = (summary: string) => Flags.string({summary, helpValue: 'NAME'})

export default class CustomersCreate extends SubmissionCommand {
  static override exits = getExitCodes('refused', 'unknownOutcome', 'pending', 'endedBadly')
  static override summary = 'Create a customer'
  static override description = `Verification data given here is submitted at once and can no longer be changed while it is reviewed. In a terminal, svc asks for what is missing.\nsvc asks before it creates a customer whose email exists already; a script ends with code 2 unless it gives --allow-duplicates. If the reply of the service was lost, run the same command again: it finds the customer that was made.\n${documentsHelp}`
  static override examples = [
    {description: 'Answer questions', command: 'svc customers create'},
    {
      description: 'Create an individual who fills in the hosted form later',
      command: 'svc customers create --type INDIVIDUAL --email ada@example.com --first-name Ada --last-name Example',
    },
  ]
  static override flags = {
    type: Flags.option({summary: 'Customer type', options: customerTypes})(),
    email: Flags.string({summary: 'Email address of the customer', helpValue: 'EMAIL'}),
    'first-name': nameFlag('First name of an individual'),
    'last-name': nameFlag('Last name of an individual'),
    'business-name': nameFlag('Name of a business'),
    ...submissionFlags,
    'allow-duplicates': Flags.boolean({
      summary: 'Do not look whether a customer with this email exists',
    }),
    wait: waitFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(CustomersCreate)
    const given = await readCustomerBody(customerCreate, flags, toBody(flags))
    const needsWizard = this.isInteractive && listMissingFlags(given).length > 0
    if (!needsWizard) return this.#create(given, flags)
    // A profile that may not write is rejected before the questions, not after them.
    const caller = await (flags['dry-run'] ? this.caller() : this.writer(write))
    const {runCreationWizard} = await import('../../customers/wizard/submit.ts')
    return runCreationWizard(given, {caller, flags, send: (body) => this.#create(body, flags, caller)})
  }

  // The caller is known if a person has typed the data.
  async #create(given: Body, flags: CreationFlags, caller?: Caller): Promise<Result> {
    const checked = await checkBody(customerCreate, given, flags)
    // A file is told everything that it lacks, not only what a flag could add.
    const missing = flags.file === undefined ? listMissingFlags(given) : []
    if (missing.length === checked.problems.filter(({isWarning}) => !isWarning).length) this.requireAll(missing)
    const context = {canAsk: this.isInteractive, notice: (text: string) => this.notice(text)}
    return this.submit(
      {
        write,
        checked,
        given,
        isTyped: caller !== undefined,
        isPartial: false,
        caller,
        send: (client, body, sender) =>
          createOnce(client, body, {...context, caller: sender, allowDuplicates: flags['allow-duplicates']}),
      },
      flags,
    )
  }
}

interface BodyFlags {
  type?: string | undefined
  email?: string | undefined
  'first-name'?: string | undefined
  'last-name'?: string | undefined
  'business-name'?: string | undefined
}

const toBody = (flags: BodyFlags): Body => ({
  customerType: flags.type,
  email: flags.email,
  firstName: flags['first-name'],
  lastName: flags['last-name'],
  businessName: flags['business-name'],
})
