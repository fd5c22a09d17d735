// The link to the hosted form of a customer, as a record.
import type {View} from '../cli/output/view.ts'
import type {Item} from '../cli/output/format-values.ts'

export const verificationLinkView: View<Item> = {
  singular: 'verification link',
  plural: 'verification links',
  columns: [
    {name: 'customerId', short: 'id', header: 'ID', value: (c) => c['customerId'], rank: 1},
    {
      name: 'verificationLink',
      short: 'link',
      header: 'VERIFICATION LINK',
      value: (c) => c['verificationLink'],
      rank: 0,
    },
  ],
}
