// Finds the whole ids of customers and accounts that a file writes shorter: the beginnings of ids, and emails. A file is read again
// by scripts and by other people, so it means the same in a terminal as anywhere else: nobody is asked, and no name counts.
import type {Client} from '../client/client.ts'
import type {Finder, Reference} from '../cli/ids/finder.ts'
import {matchId, takeCertainMatch} from '../cli/ids/match.ts'
import {isUuidPrefix} from '../cli/ids/reference.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {isUuid} from '../contract/uuid.ts'
import {createCustomerIndex, readAllCustomers} from '../customers/find-customer.ts'
import {badUsage} from '../errors.ts'
import {getAccountId} from './accepted-routes.ts'
import {accountKind, createAccountNotFoundError, hasNoIdYet, readAllAccounts} from './find-account.ts'

// Each list is read once, when it is first needed.
export interface IdResolver {
  findCustomerId(reference: Reference): Promise<string>
  // An id that is not the beginning of a UUID is returned as it is, since the interface leaves the format of these ids open.
  findAccountId(customerId: string, reference: Reference): Promise<string>
}

// Whether an account has to be looked up.
export const isShortAccountId = (text: string): boolean => !isUuid(text) && isUuidPrefix(text)

export function createIdResolver(connect: () => Promise<Client>): IdResolver {
  const finder: Finder = {
    isInteractive: false,
    notice: () => {},
    connect,
    getOrganizationId: async () => undefined,
    rejectMissing: (name) => {
      throw badUsage(`${name} is missing`, 'Nothing was sent')
    },
  }
  let customers: Promise<ReturnType<typeof createCustomerIndex>> | undefined
  const accounts = new Map<string, Promise<LoosePaymentAccount[]>>()
  const readAccounts = (customerId: string) => {
    const read = accounts.get(customerId) ?? readAllAccounts(finder, customerId)
    accounts.set(customerId, read)
    return read
  }
  return {
    async findCustomerId(reference) {
      const {text = ''} = reference
      if (isUuid(text)) return text
      customers ??= readAllCustomers(finder).then((all) => createCustomerIndex(all, finder))
      return (await customers)(reference)
    },
    async findAccountId(customerId, reference) {
      const {text = ''} = reference
      if (!isShortAccountId(text)) return text
      const matches = matchId(await readAccounts(customerId), text, accountKind, {mayLackId: hasNoIdYet})
      if (matches.length === 0) throw createAccountNotFoundError(customerId, text, reference.what)
      return getAccountId(await takeCertainMatch(matches, reference, accountKind, finder))
    },
  }
}
