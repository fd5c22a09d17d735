// What `svc status` says: who is calling, what needs attention, and what to do next.
import type {CallerOverview} from '../profiles/organization.ts'
import type {Attention} from '../values/attention.ts'

export type AttentionKind = keyof Attention<unknown, unknown, unknown> | 'drafts'

// One thing that somebody should look at.
export interface AttentionItem {
  id: string
  // What a person knows it by.
  name?: string
  detail?: string
}

export interface AttentionGroup {
  kind: AttentionKind
  count: number
  // Only the first page of a list was read, so there may be more.
  isPartial?: true
  text: string
  // The first few of them.
  items: readonly AttentionItem[]
  // The command that deals with it.
  next: string
}

export interface NextCommand {
  command: string
  why: string
}

export interface PartlyRead {
  list: string
  // How many items of it were read.
  count: number
}

export interface Status {
  version: string
  caller: CallerOverview
  service: {reachable: boolean; error?: string; message?: string}
  attention: AttentionGroup[]
  // What could not be looked at.
  unread: string[]
  // Lists that go on after what was read of them, or may go on.
  partlyRead: PartlyRead[]
  next: NextCommand[]
}
