// Rules to simulate, one or several, each with the balance that is known of its wallet.
import {badUsage} from '../../errors.ts'
import {type Balances, getBalance, checkBalances} from './balance-flags.ts'
import {readRuleFile} from '../rule-file.ts'
import {type Balance, type Simulation, simulateRule, getSourceWallet} from './simulate-rule.ts'

// All rules of a file, or the one of that name. Whatever is wrong is refused before anything is asked for.
export async function readRulesToSimulate(
  file: string,
  name: string | undefined,
  balances: Balances,
): Promise<unknown[]> {
  const all = (await readRuleFile(file)).map(({id, configuration}) => ({
    ...(id !== undefined && {id}),
    ...configuration,
  }))
  const rules = name === undefined ? all : all.filter((rule) => rule.name === name)
  if (rules.length === 0) {
    const names = all.map((rule) => `"${rule.name}"`).join(', ')
    throw badUsage(
      name === undefined ? 'There is no rule in the file' : `There is no rule named "${name}" in the file`,
      names === '' ? 'Give at least one' : `There is ${names}`,
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
  // What the sandbox says a wallet holds, where there is one.
  findBalance?: ((account: string, currency: string) => string | undefined) | undefined
}

export function simulateRules(
  rules: readonly unknown[],
  {atMs, count, balances, findBalance}: SimulationsSettings,
): Simulation[] {
  const sources = rules.map(getSourceWallet)
  return rules.map((rule, index) => {
    const {account = '', currency = ''} = sources[index] ?? {}
    const given = getBalance(balances, account)
    const seen = given ?? findBalance?.(account, currency)
    const balance: Balance | undefined =
      seen === undefined ? undefined : {amount: seen, from: given === undefined ? 'sandbox' : 'given'}
    const simulation = simulateRule(rule, {atMs, count, balance})
    const isShared = balance && sources.filter((source) => source.account === account).length > 1
    return isShared
      ? {
          ...simulation,
          notes: [...simulation.notes, 'Other rules here draw on the same wallet; each is simulated by itself'],
        }
      : simulation
  })
}
