// Leads to a bank account that does not exist yet. The interface cannot create one: the account is pending until its owner has filled in a
// form of the service. svc opens that form and waits for the account.
import {setTimeout as sleep} from 'node:timers/promises'
import {openForm} from '../cli/browser.ts'
import {withExitNotice} from '../cli/exit.ts'
import {cleanText} from '../cli/output/clean.ts'
import {joinParts, toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {currencyByMethod, fiatMethods} from '../contract/vocabulary.ts'
import {type LoosePaymentAccount, readCode} from '../contract/loose.ts'
import {SvcError, badUsage} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {sandboxAddress} from '../profiles/profiles.ts'
import {svc} from '../values/text.ts'
import {formatDuration} from '../values/time.ts'
import {describeMethod} from '../values/transfer-instructions.ts'
import {describeRoute, getAccountId, hasForm, isPending} from './describe-account.ts'
import {listAccounts} from './find-account.ts'

interface NewAccountContext {
  caller: Caller
  client: Client
  customerId: string
  // Whether a person is at the terminal: then the form is opened in the browser.
  isInteractive: boolean
  nickname?: string | undefined
  timeoutMs?: number | undefined
  notice: (text: string) => void
}

const pauseMs = 2_000

type FiatMethod = (typeof fiatMethods)[number]

const isOfMethod = (account: LoosePaymentAccount, method: FiatMethod) =>
  readCode(account.externalBankAccount?.bankAccountPaymentMethod) === method

// At the service somebody asks for the account, which is then pending. In the sandbox svc does so itself, unless such a form is open.
async function askKindAndAdd(client: Client, customerId: string): Promise<FiatMethod> {
  const [{pick}, accounts] = await Promise.all([import('../cli/prompts/ask.ts'), listAccounts(client, customerId)])
  const isWaiting = (method: FiatMethod) => accounts.some((each) => hasForm(each) && isOfMethod(each, method))
  const choices = fiatMethods
    .toSorted((one, other) => Number(isWaiting(other)) - Number(isWaiting(one)))
    .map((value) => ({
      name: `${currencyByMethod[value]} ${describeMethod(value)}${isWaiting(value) ? ' (a form is waiting)' : ''}`,
      value,
    }))
  const method = await pick('Which kind of bank account does the payee have?', choices)
  if (isWaiting(method)) return method
  const {openControl} = await import('../sandbox-control.ts')
  const {call} = await openControl()
  await call('accounts.add', {customerId, type: 'EXTERNAL_BANK_ACCOUNT', method, pending: true})
  return method
}

// The account whose form is to be filled in. In the sandbox a person says of which kind it is, and one is added if none is waiting.
// Of several with the given nickname, the first in the list is taken, which is the newest.
export async function findOrAddPending({
  caller,
  client,
  customerId,
  nickname,
  isInteractive,
}: Omit<NewAccountContext, 'notice'>): Promise<LoosePaymentAccount> {
  const asksKind = isInteractive && nickname === undefined && caller.baseUrl === sandboxAddress
  const method = asksKind ? await askKindAndAdd(client, customerId) : undefined
  const fitting = (await listAccounts(client, customerId)).filter(
    (each) =>
      hasForm(each) &&
      (method === undefined || isOfMethod(each, method)) &&
      (nickname === undefined || each.nickname === nickname),
  )
  const [first] = fitting
  if (!first) {
    throw new SvcError({
      error: 'NOT_FOUND',
      kind: 'notFound',
      message: `The customer ${customerId} has no pending bank account${nickname === undefined ? '' : ` "${nickname}"`}`,
      hint: `${svc`accounts list --customer ${customerId}`} shows the accounts it has, and \`svc docs pay-somebody-new\` how one comes to exist`,
    })
  }
  if (fitting.length === 1 || nickname !== undefined) return first
  if (!isInteractive) {
    const names = fitting.map((each) => `"${cleanText(toText(each.nickname))}"`).join(', ')
    throw badUsage(`The customer has ${fitting.length} pending bank accounts: ${names}`, 'Choose one with --nickname')
  }
  const {pick} = await import('../cli/prompts/ask.ts')
  return pick(
    'Which bank account?',
    fitting.map((value) => ({name: joinParts(value.nickname, describeRoute(value)), value})),
  )
}

const describeResumption = (customerId: string) => `${svc`open ${customerId} --bank-account --wait`} goes on waiting`

async function waitForAccount(
  {client, customerId, timeoutMs = Number.POSITIVE_INFINITY}: NewAccountContext,
  knownIds: ReadonlySet<string>,
): Promise<LoosePaymentAccount> {
  const startedMs = performance.now()
  for (;;) {
    const accounts = await listAccounts(client, customerId)
    const found = accounts.find((account) => !isPending(account) && !knownIds.has(getAccountId(account)))
    if (found) return found
    if (performance.now() - startedMs + pauseMs > timeoutMs) {
      throw new SvcError({
        error: 'PENDING',
        kind: 'pending',
        message: `The form was not filled in within ${formatDuration(timeoutMs)}, so there is no account yet`,
        hint: describeResumption(customerId),
      })
    }
    await sleep(pauseMs)
  }
}

// Returns the account once the service has it.
export async function openAndAwaitAccount(context: NewAccountContext): Promise<LoosePaymentAccount> {
  const {caller, client, customerId, isInteractive, notice} = context
  const pending = await findOrAddPending(context)
  const knownIds = new Set((await listAccounts(client, customerId)).map(getAccountId))
  // The form cannot change the kind. At a live service it is settled when somebody asks for the account.
  const route = describeRoute(pending)
  const elsewhere = caller.baseUrl === sandboxAddress ? '' : ' For another kind, ask the service for another account.'
  if (route !== '') notice(`The form is for an account in ${route}.${elsewhere}`)
  const form = await openForm(caller, String(pending.bankAccountFormLink), {
    isOpening: isInteractive && process.stdout.isTTY,
    isServing: true,
    notice,
  })
  try {
    notice(`The form of the bank account: ${form.address}`)
    notice('Whoever knows the account fills it in; svc waits for it. Ctrl-C stops.')
    const stop = {message: 'The waiting has stopped, and nothing was paid', hint: describeResumption(customerId)}
    const account = await withExitNotice(() => stop, waitForAccount(context, knownIds))
    notice('The form was filled in, and the account exists.')
    return account
  } finally {
    await form.stop?.()
  }
}
