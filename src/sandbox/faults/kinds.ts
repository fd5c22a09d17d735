// The kinds of faults: whether the request is carried out all the same, and what becomes of its answer.

interface Kind {
  // Whether the request is carried out before the fault shows: then only its answer suffers.
  carriedOut: boolean
  // The status of an answer that stands instead, unless another is given.
  statusDefault?: number
}

export const faultKinds = {
  // A refusal in the shape of the service.
  refuse: {carriedOut: false, statusDefault: 503},
  // The same, where the status is the point.
  status: {carriedOut: false, statusDefault: 429},
  // The page of a gateway instead of JSON.
  html: {carriedOut: false, statusDefault: 502},
  reset: {carriedOut: false},
  // No answer until the client gives up.
  hang: {carriedOut: false},
  // The answer comes late.
  delay: {carriedOut: true},
  // The connection is cut before the answer.
  lose: {carriedOut: true},
  // The answer breaks off in the middle.
  truncate: {carriedOut: true},
  // The answer is bytes that are no JSON.
  garbage: {carriedOut: true},
} as const satisfies Record<string, Kind>

export type FaultKind = keyof typeof faultKinds

export const getFaultKind = (kind: FaultKind): Kind => faultKinds[kind]

// What whoever carries the answer must do: wait first, and then break the connection in one of these ways, or not at all.
export interface AppliedFault {
  delayMs: number
  breaks?: 'reset' | 'hang' | 'lose' | 'truncate'
}
