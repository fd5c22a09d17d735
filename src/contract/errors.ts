// The body of the service's errors.
import {z} from 'zod'

export const errorBody = z.object({error: z.string(), message: z.string(), statusCode: z.int()}).meta({id: 'Error'})
