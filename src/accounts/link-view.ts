// The columns of the link to the form of a pending bank account.
import type {View} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'

export const bankAccountLinkView: View<Pick<LoosePaymentAccount, 'customerId' | 'nickname' | 'bankAccountFormLink'>> = {
  singular: 'bank account link',
  plural: 'bank account links',
  columns: [
    {name: 'customerId', header: 'CUSTOMER', value: (a) => a.customerId, rank: 2},
    {name: 'nickname', header: 'NICKNAME', value: (a) => a.nickname, rank: 1},
    {
      name: 'bankAccountFormLink',
      short: 'link',
      header: 'BANK ACCOUNT LINK',
      value: (a) => a.bankAccountFormLink,
      rank: 0,
    },
  ],
}
