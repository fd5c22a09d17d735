// The kinds of faults.

interface Kind {
  // Whether the request is carried out, and only its response is affected.
  carriedOut: boolean
  // The status of the reply that the fault sends, unless another is given.
  statusDefault?: number
}

export const faultKinds = {
  // An error in the service's format.
  refuse: {carriedOut: false, statusDefault: 503},
  // The same with another default.
  status: {carriedOut: false, statusDefault: 429},
  // An HTML page, as a gateway sends it.
  html: {carriedOut: false, statusDefault: 502},
  reset: {carriedOut: false},
  // No response until the client gives up.
  hang: {carriedOut: false},
  // A late response.
  delay: {carriedOut: true},
  // The connection is closed without a response.
  lose: {carriedOut: true},
  // The response ends in the middle.
  truncate: {carriedOut: true},
  // A body that is not JSON.
  garbage: {carriedOut: true},
  // The request is not carried out and gets an error in the service's format.
  'refuse-after': {carriedOut: true, statusDefault: 500},
} as const satisfies Record<string, Kind>

export type FaultKind = keyof typeof faultKinds

export const getFaultKind = (kind: FaultKind): Kind => faultKinds[kind]

// What the transport must do: wait, and then break the connection in one of these ways, if at all.
export interface AppliedFault {
  delayMs: number
  breaks?: 'reset' | 'hang' | 'lose' | 'truncate'
}
