// Simulates one or several rules, each with the known balance of its wallet.
import type {Client} from '../../client/client.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {badUsage} from '../../errors.ts'
import {type Balances, getBalance, checkBalances} from './balance-flags.ts'
import {resolveRuleIds} from '../resolve-rules.ts'
import {readRuleFile} from '../rule-file.ts'
import {type Balance, type Simulation, simulateRule, getSourceWallet} from './simulate-rule.ts'

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

export interface SimulationsSettings {
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
