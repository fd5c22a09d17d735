// Says who runs svc: the user of the operating system and the machine. The journal keeps it with every decision of a person.
import os from 'node:os'

export interface Operator {
  user: string
  host: string
  // The principal of the key with which he signed, if he did.
  signer?: string | undefined
}

// A container may run under a number that has no name.
function readUser(): string {
  try {
    return os.userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

export const describeOperator = (): Operator => ({user: readUser(), host: os.hostname()})

// As approvals name him: alice@laptop.
export const nameOperator = ({user, host}: Operator): string => `${user}@${host}`
