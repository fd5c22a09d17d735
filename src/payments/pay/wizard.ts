// The wizard of `svc pay`: asks for the fields of a quote, and for the key of the payment.
import type {Body} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {askLine, requiredMessage} from '../../cli/prompts/ask.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {SvcError} from '../../errors.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {addFeeType} from '../../quotes/quote-body.ts'
import {type QuoteWizardOptions, runQuoteWizard} from '../../quotes/wizard/quote-wizard.ts'
import {requireFreeKey} from '../protocol/key-use.ts'
import {QuoteRejected} from '../protocol/errors.ts'
import {rejectFineAmounts} from './decide-route.ts'
import type {PayRun} from '../context/open-context.ts'
import {type Plan, toPlan, validatePlanBody} from './plan.ts'
import {findKeyFault, resolveKey} from './slots.ts'

const keyHint =
  'permanent name of this payment, such as invoice-4711: running it again with the same key pays nothing more'

const buildKeyQuestion = (run: PayRun, fields: Body): Question => {
  const {traits, slot} = run
  const findProblem = (key: string): string | undefined => {
    if (key === '') return requiredMessage
    const fault = findKeyFault(key, slot)
    return fault && `It ${fault}`
  }

  // A used key does not cost a person all answers: the wizard asks for another one.
  const findUse = async ({key, content}: Plan): Promise<string | undefined> => {
    try {
      await requireFreeKey(run, {serviceId: traits.serviceId, ...resolveKey(key, slot), content})
    } catch (error) {
      if (error instanceof SvcError) return `${error.message}. Choose another key`
      throw error
    }
    return undefined
  }

  return {
    path: 'key',
    label: 'Key of this payment',
    kind: 'text',
    isRequired: true,
    check: (key) => findProblem(toText(key)),
    ask: (current, body) =>
      askLine({
        message: 'Key of this payment:',
        hint: keyHint,
        initial: toText(current),
        check: async (key) => findProblem(key) ?? findUse(toPlan({...fields, ...body, key})),
      }),
  }
}

// Adds a bank account for a payee who has none yet, and returns its id.
async function addAccount({caller, notice, client}: PayRun, customerId: string): Promise<string> {
  const [{openAndAwaitAccount}, {getAccountId}] = await Promise.all([
    import('../../accounts/new-account.ts'),
    import('../../accounts/describe-account.ts'),
  ])
  return getAccountId(await openAndAwaitAccount({caller, client, customerId, isInteractive: true, notice}))
}

// Asks for everything that flags and file did not give, or only for what the accounts leave open,
// and pays it. If the service gives no quote for the answers, they can be corrected.
export async function askAndPay<T>(
  run: PayRun,
  fields: Body,
  {isRouteOnly, pay}: {isRouteOnly: boolean; pay: (fields: Body) => Promise<T>},
): Promise<T> {
  run.deadline.suspend()
  const hasReceive = fields['receive'] !== undefined
  const isGuaranteeSet = run.flags.guarantee !== undefined || toPlan(fields).isGuaranteed

  const options: QuoteWizardOptions = {
    withoutQuestions: [
      ...(isRouteOnly || isGuaranteeSet ? ['guaranteeQuote'] : []),
      ...(hasReceive ? ['source.sourceAmount'] : []),
    ],
    takesReceive: true,
    isSandbox: run.caller.baseUrl === sandboxAddress,
    addAccount: (customerId) => addAccount(run, customerId),
    lastQuestion: buildKeyQuestion(run, fields),
    // Warnings are about the amount, and the question for it refuses what they warn of.
    validate: (body) => validatePlanBody(addFeeType(body)).problems.filter(({isWarning}) => !isWarning),
  }

  const complete = async (body: Body): Promise<() => T> => {
    const completed = {...fields, ...body}
    // The currency may have been chosen after the amount.
    rejectFineAmounts(completed)
    try {
      const paid = await pay(completed)
      return () => paid
    } catch (error) {
      if (error instanceof QuoteRejected) throw error
      return () => {
        throw error
      }
    }
  }

  const end = await runQuoteWizard(run.client, fields, options, complete)
  return end()
}
