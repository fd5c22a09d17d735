// hledger and beancount, if this machine has them. The tests do not install them: a check of our own always runs.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import {Big} from 'big.js'

const isRunnable = (program: string) => spawnSync(program, ['--version'], {stdio: 'ignore'}).error === undefined

export const hasHledger = isRunnable('hledger')
export const hasBeancount = isRunnable('bean-check') && isRunnable('bean-query')

export function runProgram(program: string, args: readonly string[]): {code: number | null; out: string; err: string} {
  const {status, stdout, stderr} = spawnSync(program, args, {encoding: 'utf8', maxBuffer: 1 << 28})
  return {code: status, out: stdout, err: stderr}
}

function requireSuccess(program: string, args: readonly string[]): string {
  const {code, out, err} = runProgram(program, args)
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${out}${err}`.slice(0, 2000))
  return out
}

const toBalances = (found: ReadonlyArray<readonly [account: string, currency: string, amount: string]>) =>
  Object.fromEntries(
    found
      .filter(([, , amount]) => !new Big(amount).eq('0'))
      .map(([account, currency, amount]) => [`${account} ${currency}`, new Big(amount).toFixed()] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )

// More decimals than any product of an amount and a rate has.
const decimals = '0'.repeat(24)

// Checks the file strictly, and returns what each account has by hledger's own sums. Currencies consist of letters here.
export function balanceWithHledger(file: string, currencies: readonly string[]): Record<string, string> {
  requireSuccess('hledger', ['-f', file, 'check', '--strict'])
  const styles = currencies.flatMap((currency) => ['-c', `1.${decimals} ${currency}`])
  const out = requireSuccess('hledger', ['-f', file, 'balance', '--flat', '--no-total', '-O', 'csv', ...styles])
  const rows = [...out.matchAll(/^"([^"]+)","([^"]+)"$/gm)].slice(1)
  return toBalances(
    rows.flatMap(([, account = '', cell = '']) =>
      cell.split(', ').map((money) => {
        const [amount = '', currency = ''] = money.split(' ')
        return [account, currency, amount] as const
      }),
    ),
  )
}

// bean-query shows no more than these, and cuts the others off.
const beancountDecimals = 6
const roundDown = 0

// As bean-query shows them.
export const cutDecimals = (balances: Record<string, string>): Record<string, string> =>
  toBalances(
    Object.entries(balances).map(([name, amount]) => {
      const [account = '', currency = ''] = name.split(' ')
      return [account, currency, new Big(amount).round(beancountDecimals, roundDown).toFixed()] as const
    }),
  )

// Checks the file without any tolerance, and returns what each account has by beancount's own sums.
export function balanceWithBeancount(file: string): Record<string, string> {
  const strict = `${file}.strict.beancount`
  const options = 'option "inferred_tolerance_default" "*:0"\noption "inferred_tolerance_multiplier" "0"\n'
  fs.writeFileSync(strict, `${options}include "${file}"\n`)
  requireSuccess('bean-check', [strict])
  const query = 'select account, currency, sum(position) group by account, currency'
  const out = requireSuccess('bean-query', ['-f', 'csv', file, query])
  const rows = out.trim().split('\n').slice(1)
  return toBalances(
    rows.map((row) => {
      const [account = '', currency = '', money = ''] = row.split(',').map((cell) => cell.trim())
      return [account, currency, money.split(/ +/)[0] ?? ''] as const
    }),
  )
}
