// The kinds of faults: whether the request is carried out all the same, and what becomes of its answer.

interface Kind {
  // Whether the request is carried out before the fault shows: then only its answer suffers.
  carriedOut: boolean
  meaning: string
  // The status of an answer that stands instead, unless another is given.
  statusDefault?: number
}

export const faultKinds = {
  refuse: {carriedOut: false, statusDefault: 503, meaning: 'a refusal in the shape of the service; nothing is done'},
  status: {carriedOut: false, statusDefault: 429, meaning: 'the same, with a status of your choice; nothing is done'},
  html: {carriedOut: false, statusDefault: 502, meaning: 'the page of a gateway instead of JSON; nothing is done'},
  reset: {carriedOut: false, meaning: 'the connection is reset; nothing is done'},
  hang: {carriedOut: false, meaning: 'no answer until the client gives up; nothing is done'},
  delay: {carriedOut: true, meaning: 'done, and the answer comes late'},
  lose: {carriedOut: true, meaning: 'done, and the connection is cut before the answer'},
  truncate: {carriedOut: true, meaning: 'done, and the answer breaks off in the middle'},
  garbage: {carriedOut: true, meaning: 'done, and the answer is bytes that are no JSON'},
} as const satisfies Record<string, Kind>

export type FaultKind = keyof typeof faultKinds

export const kindOf = (kind: FaultKind): Kind => faultKinds[kind]

// What whoever carries the answer must do: wait first, and then break the connection in one of these ways, or not at all.
export interface AppliedFault {
  delayMs: number
  breaks?: 'reset' | 'hang' | 'lose' | 'truncate'
}
