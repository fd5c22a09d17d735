// The columns of the link to a customer's hosted form.
import type {LooseCustomer} from '../contract/loose.ts'
import type {View} from '../cli/output/view.ts'

export const verificationLinkView: View<Pick<LooseCustomer, 'customerId' | 'verificationLink'>> = {
  singular: 'verification link',
  plural: 'verification links',
  columns: [
    {name: 'customerId', short: 'id', header: 'ID', value: (c) => c.customerId, rank: 1},
    {
      name: 'verificationLink',
      short: 'link',
      header: 'VERIFICATION LINK',
      value: (c) => c.verificationLink,
      rank: 0,
    },
  ],
}
