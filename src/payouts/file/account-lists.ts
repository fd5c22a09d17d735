// The payment accounts of the customers of a file. Each customer's list is read once, when a row needs it.
import type {Client} from '../../client/client.ts'
import {Directory} from '../../accounts/directory.ts'
import type {LoosePaymentAccount} from '../../contract/loose.ts'

export type ReadAccounts = (customerId: string) => Promise<readonly LoosePaymentAccount[]>

// Rows that are worked on at the same time share a read.
export function createAccountReader(client: Client): ReadAccounts {
  const directory = new Directory(client)
  const reads = new Map<string, ReturnType<ReadAccounts>>()
  return (customerId) => {
    const known = reads.get(customerId)
    if (known) return known
    const read = directory.readAccounts(customerId)
    reads.set(customerId, read)
    return read
  }
}
