// Simulates one or several rules, each with the known balance of its wallet.
import {isIdBeginning} from '../../cli/ids/finder.ts'
import type {Client} from '../../client/client.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {type ErrorKind, SvcError, badUsage} from '../../errors.ts'
import {readRuleFile, resolveRuleIds} from '../rule-file.ts'
import {type Balance, type Simulation, getSourceWallet, simulateRule} from './simulate-rule.ts'

// A simulation sends nothing, and shows itself what a rule does.
const noWarnings = {isAccepted: true, canAsk: false, notice: () => {}}

// Reads all rules of a file, or the one with that name.
export async function readRulesToSimulate(
  file: string,
  name: string | undefined,
  balances: Balances,
  connect: () => Promise<Client>,
): Promise<LooseRule[]> {
  const all = (await resolveRuleIds(await readRuleFile(file, noWarnings), connect)).map(({id, configuration}) => ({
    ...(id !== undefined && {id}),
    ...configuration,
  }))
  const rules = name === undefined ? all : all.filter((rule) => rule.name === name)
  if (rules.length === 0) {
    const names = all.map((rule) => `"${rule.name}"`).join(', ')
    throw badUsage(
      name === undefined ? 'There is no rule in the file' : `There is no rule named "${name}" in the file`,
      names === '' ? 'The file needs at least one rule' : `It has ${names}`,
    )
  }
  checkBalances(
    balances,
    rules.map((rule) => getSourceWallet(rule).account),
  )
  return rules
}

interface SimulationsSettings {
  atMs: number
  count: number
  balances: Balances
  // Reads the balance of a wallet. Only the embedded sandbox can.
  findBalance?: ((account: string, currency: string) => string | undefined) | undefined
}

export function simulateRules(
  rules: readonly LooseRule[],
  {atMs, count, balances, findBalance}: SimulationsSettings,
): Simulation[] {
  const sources = rules.map(getSourceWallet)
  return rules.map((rule, index) => {
    const {account = '', currency = ''} = sources[index] ?? {}
    const given = getBalance(balances, account)
    const amount = given ?? findBalance?.(account, currency)
    const balance: Balance | undefined =
      amount === undefined ? undefined : {amount, from: given === undefined ? 'sandbox' : 'given'}
    const simulation = simulateRule(rule, {atMs, count, balance})
    const isShared = balance && sources.filter((source) => source.account === account).length > 1
    return isShared
      ? {
          ...simulation,
          notes: [...simulation.notes, 'Other rules here use the same wallet; each is simulated by itself'],
        }
      : simulation
  })
}

// Parses --balance: an amount, or ACCOUNT=AMOUNT for each of several wallets.
const decimal = /^\d{1,30}(\.\d{1,30})?$/

interface Balances {
  // For every wallet.
  forAll?: string | undefined
  byAccount: ReadonlyMap<string, string>
}

// An account id is opaque and may contain an equals sign; an amount never does.
function parseBalance(text: string): [account: string | undefined, amount: string] {
  const end = text.lastIndexOf('=')
  const [account, amount] = end === -1 ? [undefined, text] : [text.slice(0, end), text.slice(end + 1)]
  if (decimal.test(amount) && account !== '') return [account, amount]
  throw badUsage(
    `--balance "${text}" is neither an amount nor ACCOUNT=AMOUNT`,
    'Write --balance 1500, or --balance ACCOUNT=1500 for each of several wallets; nothing was sent',
  )
}

export function parseBalances(texts: readonly string[]): Balances {
  const balances = texts.map(parseBalance)
  const byAccount = new Map<string, string>()
  for (const [account, amount] of balances) {
    if (account === undefined) continue
    if (byAccount.has(account))
      throw badUsage(`--balance is given twice for ${account}`, 'Give it once; nothing was sent')
    byAccount.set(account, amount)
  }
  const all = balances.filter(([account]) => account === undefined)
  if (all.length > 1) throw badUsage('--balance is given twice', 'Give it once, or as ACCOUNT=AMOUNT; nothing was sent')
  return {forAll: all[0]?.[1], byAccount}
}

// Rejects one amount for several wallets, and a wallet that no rule uses.
function checkBalances({forAll, byAccount}: Balances, accounts: readonly string[]): void {
  const wallets = [...new Set(accounts)]
  const known = wallets.join(', ')
  if (
    forAll !== undefined &&
    wallets.some((account) => getBalance({byAccount}, account) === undefined) &&
    wallets.length > 1
  ) {
    throw badUsage('The rules use several wallets', `Write --balance ACCOUNT=AMOUNT for each of ${known}`)
  }
  for (const account of byAccount.keys()) {
    const meant = wallets.includes(account) ? [account] : wallets.filter((wallet) => isIdBeginning(account, wallet))
    if (meant.length === 0)
      throw badUsage(`No rule here uses ${account}, for which --balance is given`, `They use ${known}`)
    if (meant.length > 1)
      throw badUsage(`--balance ${account} matches ${meant.join(' and ')}`, 'Use the whole id; nothing was sent')
  }
}

// The beginning of an id is that of one wallet alone, which was checked.
function getBalance({forAll, byAccount}: Balances, account: string): string | undefined {
  const short = [...byAccount].find(([beginning]) => isIdBeginning(beginning, account))
  return byAccount.get(account) ?? short?.[1] ?? forAll
}

// Adds a quote for the first move to each simulation. A quote moves no money.

// After these failures the simulation is still useful without a quote. An invalid credential is not among them.
const quoteFailureKinds: ReadonlySet<ErrorKind> = new Set([
  'usage',
  'refused',
  'notFound',
  'unreachable',
  'unknownOutcome',
])

// How to request quotes, or why none are requested.
export type QuoteSource = {client: () => Promise<Client>} | {noQuote: string}

// Undefined if nothing would move.
const findFirstAmount = ({moves: [first]}: Simulation): string | undefined =>
  first?.refused === undefined ? first?.amount : undefined

async function fetchQuote({rule}: Simulation, sourceAmount: string, client: Client): Promise<Partial<Simulation>> {
  const {source, destination, developerFee} = rule.transactionTemplate
  const body = {
    customerId: rule.customerId,
    source: {...source, sourceAmount},
    destination,
    ...(developerFee && {developerFee}),
  }
  try {
    return {quote: await client.quotes.create({body})}
  } catch (error) {
    if (!(error instanceof SvcError) || !quoteFailureKinds.has(error.kind)) throw error
    return {noQuote: error.message}
  }
}

export async function addQuotes(simulations: readonly Simulation[], source: QuoteSource): Promise<Simulation[]> {
  const quoted: Simulation[] = []
  for (const simulation of simulations) {
    const amount = findFirstAmount(simulation)
    const quote = 'noQuote' in source ? source : amount && (await fetchQuote(simulation, amount, await source.client()))
    const {notes, ...known} = simulation
    quoted.push(amount === undefined || !quote ? simulation : {...known, ...quote, notes})
  }
  return quoted
}
