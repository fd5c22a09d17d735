// How the service refuses: the error body, and the codes with their status and condition.
import {z} from 'zod'

export const errorBody = z.object({error: z.string(), message: z.string(), statusCode: z.int()}).meta({id: 'Error'})

interface ServiceErrorEntry {
  error: string
  statusCode: number
  condition: string
  // The interface names three codes. The others are assumed: a service may spell them otherwise (docs/assumptions.md, E1).
  assumed: boolean
}

const named = <const E extends string>(statusCode: number, error: E, condition: string) => ({
  error,
  statusCode,
  condition,
  assumed: false,
})
const assumed = <const E extends string>(statusCode: number, error: E, condition: string) => ({
  error,
  statusCode,
  condition,
  assumed: true,
})

export const serviceErrors = [
  named(400, 'PATCH_NOT_ALLOWED', 'PATCH on a customer whose status does not permit it'),
  named(400, 'BAD_REQUEST', 'Validation failure; the message names the field'),
  named(401, 'UNAUTHORIZED', 'Missing, invalid or expired credential'),
  assumed(403, 'FORBIDDEN', 'The credential may not do this'),
  assumed(404, 'NOT_FOUND', 'No such customer, account, quote or rule, or no such path'),
  assumed(405, 'METHOD_NOT_ALLOWED', 'The path exists, but not with this method'),
  assumed(
    409,
    'CONFLICT',
    'The request conflicts with an earlier one, such as a reused idempotency key with another body',
  ),
  assumed(413, 'PAYLOAD_TOO_LARGE', 'The request is larger than 100 MB'),
  assumed(422, 'INSUFFICIENT_BALANCE', 'The source account holds too little'),
  assumed(429, 'TOO_MANY_REQUESTS', 'Too many requests; Retry-After says when to come back'),
  assumed(500, 'INTERNAL_ERROR', 'A fault in the service'),
  assumed(501, 'NOT_IMPLEMENTED', 'The service does not offer this endpoint'),
  assumed(503, 'SERVICE_UNAVAILABLE', 'The service is not available'),
] as const satisfies readonly ServiceErrorEntry[]

export type ServiceErrorCode = (typeof serviceErrors)[number]['error']
