// Finds the pending bank account whose hosted form is to be opened.
import type {Client} from '../client/client.ts'
import {walkPages} from '../client/paging.ts'
import {cleanText} from '../cli/output/clean.ts'
import {toText} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {SvcError, badUsage} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'

const hasForm = ({bankAccountFormLink: link}: LoosePaymentAccount) => typeof link === 'string' && link !== ''

const noForm = (customerId: string, nickname: string | undefined) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The customer ${customerId} has no pending bank account${nickname === undefined ? '' : ` "${nickname}"`}`,
    hint: `\`svc accounts list --customer ${quoteForShell(customerId)}\` shows the accounts it has`,
  })

const describeAccount = ({nickname, externalBankAccount: bank}: LoosePaymentAccount) =>
  cleanText([toText(nickname), toText(bank?.bankAccountPaymentMethod)].filter(Boolean).join(', '))

// Of several with the given nickname, the first in the list is taken, which is the newest.
export async function findPendingAccount(
  client: Client,
  customerId: string,
  {nickname, isInteractive}: {nickname?: string | undefined; isInteractive: boolean},
): Promise<LoosePaymentAccount> {
  const found: LoosePaymentAccount[] = []
  const fetchPage = (page: {pageSize: number; pageToken?: string}) => client.accounts.list({customerId, ...page})
  for await (const {items} of walkPages(fetchPage, 'paymentAccounts', {all: true})) {
    found.push(...(items as LoosePaymentAccount[]).filter(hasForm))
  }
  const fitting = nickname === undefined ? found : found.filter((each) => each.nickname === nickname)
  const [first] = fitting
  if (!first) throw noForm(customerId, nickname)
  if (fitting.length === 1 || nickname !== undefined) return first
  if (!isInteractive) {
    const names = fitting.map((each) => `"${cleanText(toText(each.nickname))}"`).join(', ')
    throw badUsage(`The customer has ${fitting.length} pending bank accounts: ${names}`, 'Choose one with --nickname')
  }
  const {askChoice} = await import('../cli/prompts/ask.ts')
  return askChoice(
    'Which bank account?',
    fitting.map((value) => ({name: describeAccount(value), value})),
  )
}
