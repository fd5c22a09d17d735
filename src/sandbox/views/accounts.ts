// The sandbox's payment accounts with their balances, as tables and records.
import {createAccountView} from '../../accounts/view.ts'

const formatBalances = (balances: unknown) =>
  Object.entries((balances ?? {}) as Record<string, string>).map(([label, amount]) => `${amount} ${label}`)

export const sandboxAccountView = createAccountView({
  name: 'balances',
  header: 'BALANCE',
  value: (a) => a['balances'],
  format: formatBalances,
  rank: 1,
  align: 'right',
})
