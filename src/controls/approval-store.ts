// Where signed approvals are kept: in a folder beside the file that they are about, or in the database of the journal.
import type {SignedText} from './verify-text.ts'

export interface StoredApproval extends SignedText {
  // Names it in messages.
  id: string
}

export interface ApprovalStore {
  // How messages name it.
  place: string
  // What is there, also about other content. Things that are no approvals are left out.
  list(): Promise<StoredApproval[]>
  add(approval: SignedText): Promise<void>
}
