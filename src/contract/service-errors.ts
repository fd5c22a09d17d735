// The service's error codes, each with its status and meaning.

interface ServiceErrorEntry {
  error: string
  statusCode: number
  condition: string
  // The interface names three codes. The others are assumptions (docs/assumptions.md, E1).
  assumed: boolean
}

const defineStated = <const E extends string>(statusCode: number, error: E, condition: string) => ({
  error,
  statusCode,
  condition,
  assumed: false,
})
const defineAssumed = <const E extends string>(statusCode: number, error: E, condition: string) => ({
  error,
  statusCode,
  condition,
  assumed: true,
})

export const serviceErrors = [
  defineStated(400, 'PATCH_NOT_ALLOWED', 'PATCH on a customer whose status does not permit it'),
  defineStated(400, 'BAD_REQUEST', 'Validation failure; the message names the field'),
  defineStated(401, 'UNAUTHORIZED', 'Missing, invalid or expired credential'),
  defineAssumed(403, 'FORBIDDEN', 'The credential may not do this'),
  defineAssumed(404, 'NOT_FOUND', 'No such customer, account, quote or rule, or no such path'),
  defineAssumed(405, 'METHOD_NOT_ALLOWED', 'The path exists, but not with this method'),
  defineAssumed(
    409,
    'CONFLICT',
    'The request conflicts with an earlier one, such as a reused idempotency key with another body',
  ),
  defineAssumed(413, 'PAYLOAD_TOO_LARGE', 'The request is larger than 100 MB'),
  defineAssumed(422, 'IDEMPOTENCY_KEY_REUSED', 'The idempotency key was used with another body'),
  defineAssumed(422, 'INSUFFICIENT_BALANCE', 'The source account holds too little'),
  defineAssumed(429, 'TOO_MANY_REQUESTS', 'Too many requests; Retry-After says when to try again'),
  defineAssumed(500, 'INTERNAL_ERROR', 'A fault in the service'),
  defineAssumed(501, 'NOT_IMPLEMENTED', 'The service does not offer this endpoint'),
  defineAssumed(503, 'SERVICE_UNAVAILABLE', 'The service is not available'),
] as const satisfies readonly ServiceErrorEntry[]

export type ServiceErrorCode = (typeof serviceErrors)[number]['error']
