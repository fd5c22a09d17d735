// Parses --balance: an amount, or ACCOUNT=AMOUNT for each of several wallets.
import {isIdBeginning} from '../../cli/ids/reference.ts'
import {badUsage} from '../../errors.ts'

const decimal = /^\d{1,30}(\.\d{1,30})?$/

export interface Balances {
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
export function checkBalances({forAll, byAccount}: Balances, accounts: readonly string[]): void {
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
export function getBalance({forAll, byAccount}: Balances, account: string): string | undefined {
  const short = [...byAccount].find(([beginning]) => isIdBeginning(beginning, account))
  return byAccount.get(account) ?? short?.[1] ?? forAll
}
