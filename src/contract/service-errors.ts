// The service's error codes, each with its status and meaning.

// The interface names three codes. The others are assumptions (docs/assumptions.md, E1).
const statedCodes = new Set<string>(['PATCH_NOT_ALLOWED', 'BAD_REQUEST', 'UNAUTHORIZED'])

const rows = [
  [400, 'PATCH_NOT_ALLOWED', 'PATCH on a customer whose status does not permit it'],
  [400, 'BAD_REQUEST', 'Validation failure; the message names the field'],
  [401, 'UNAUTHORIZED', 'Missing, invalid or expired credential'],
  [403, 'FORBIDDEN', 'The credential may not do this'],
  [404, 'NOT_FOUND', 'No such customer, account, quote or rule, or no such path'],
  [405, 'METHOD_NOT_ALLOWED', 'The path exists, but not with this method'],
  [409, 'CONFLICT', 'The request conflicts with an earlier one, such as a reused idempotency key with another body'],
  [413, 'PAYLOAD_TOO_LARGE', 'The request is larger than 100 MB'],
  [422, 'IDEMPOTENCY_KEY_REUSED', 'The idempotency key was used with another body'],
  [422, 'INSUFFICIENT_BALANCE', 'The source account holds too little'],
  [429, 'TOO_MANY_REQUESTS', 'Too many requests; Retry-After says when to try again'],
  [500, 'INTERNAL_ERROR', 'A fault in the service'],
  [501, 'NOT_IMPLEMENTED', 'The service does not offer this endpoint'],
  [503, 'SERVICE_UNAVAILABLE', 'The service is not available'],
] as const

export type ServiceErrorCode = (typeof rows)[number][1]

export const serviceErrors = rows.map(([statusCode, error, condition]) => ({
  error,
  statusCode,
  condition,
  assumed: !statedCodes.has(error),
}))
