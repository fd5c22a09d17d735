// The sandbox's payment accounts with their balances, as tables and records.
import {createAccountView} from '../../accounts/view.ts'
import type {LoosePaymentAccount} from '../../contract/loose.ts'

const formatBalances = (balances: unknown) =>
  Object.entries((balances ?? {}) as Record<string, string>).map(([label, amount]) => `${amount} ${label}`)

export const sandboxAccountView = createAccountView<LoosePaymentAccount & {balances?: unknown}>({
  name: 'balances',
  header: 'BALANCE',
  value: (account) => account.balances,
  format: formatBalances,
  rank: 1,
  align: 'right',
})
