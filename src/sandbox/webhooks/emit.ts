// Makes an event of a change, for every endpoint that is registered.
import type {Turn} from '../turn.ts'

// Called inside the transaction that changes the customer, after the change.
export function customerUpdated(_turn: Turn, _customerId: string): void {}
