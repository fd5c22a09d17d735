// The flags that limit which transactions are searched.
import * as Flags from '@oclif/core/flags'
import {uuidFlag} from '../cli/flags/shared.ts'

export const scopeFlags = {
  customer: uuidFlag('Search only the transactions of this customer', 'SVC_CUSTOMER'),
  account: Flags.string({
    summary: 'Search only the transactions of this payment account',
    env: 'SVC_ACCOUNT',
    helpValue: 'ID',
  }),
}
