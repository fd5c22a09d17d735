// What the journal keeps as evidence of a line of its history: what the service answered, by whose clock, and which of its
// lists were read. It has ids, amounts and digests, but no personal data: a transaction may name the owner of an account.

// A reply to a request of the payment.
export interface Answer {
  method: string
  path: string
  status: number
  // The service's clock: the Date header of the reply, as it came.
  date?: string | undefined
  // When it arrived, by the clock of this machine.
  receivedAt: string
  // SHA-256 of the exact text of the reply, which itself is not kept.
  digest: string
  // The fields of the reply that name no person.
  fields?: Readonly<Record<string, unknown>> | undefined
}

// A list of the service's transactions that was read to see whether it has this payment.
export interface ListWitness {
  // When the read began and ended, by the clock of this machine.
  startedAt: string
  endedAt: string
  // The Date header of its last page.
  date?: string | undefined
  pages: number
  transactions: number
  isComplete: boolean
  // SHA-256 of the ids that it had, in their order, one a line.
  digest: string
  // The transactions of this payment among them.
  matches: readonly string[]
}

export interface Evidence {
  answers?: readonly Answer[] | undefined
  lists?: readonly ListWitness[] | undefined
}
