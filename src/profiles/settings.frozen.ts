// What the files of the profiles hold. The build evaluates this file and stores the shapes, so that no command loads zod for them.
import {z} from 'zod'
import {createSchemaCollector, keepShapeKeywords} from '../contract/json-schema.ts'
import {listLagDefaultMs, resendAnswers} from './service.ts'

const text = z.string().min(1)
const amountsByCurrency = z.record(z.string(), text)

const profile = z.object({
  baseUrl: text,
  // The name of the service, which payment keys belong to. It stays the same when the address changes: it is the base URL with
  // which the profile was made, unless a person gave it another name.
  service: text.optional(),
  environment: z.enum(['live', 'sandbox']),
  credential: z.object({
    kind: z.enum(['API_KEY', 'JWT', 'COMMAND']),
    storedIn: z.enum(['keychain', 'file']).optional(),
    command: text.optional(),
  }),
  organization: text.optional(),
  // A read-only profile never writes, whatever the command.
  readOnly: z.boolean().optional(),
  limits: z
    .object({paymentMax: amountsByCurrency, dayMax: amountsByCurrency, destinations: z.array(text)})
    .partial()
    .optional(),
  // Whether the service is known to honour idempotency keys.
  resend: z.enum(resendAnswers).optional(),
  // How long the service may take to list a transaction.
  listLagMaxMs: z.int().min(listLagDefaultMs).optional(),
  // How long a payment is remembered to ask about a second one like it, such as 3d.
  duplicateWindow: text.optional(),
  // If it is not that of this machine: its address without a password, and a command that prints the password.
  journal: z.object({address: text, passwordCommand: text.optional()}).optional(),
  // The program that is told what needs a person, and how long the outcome of a payment may be unknown before that.
  notify: z.object({command: text, afterMs: z.int().min(1).optional()}).optional(),
})

const schemaVersion = z.int().min(1)
const settings = z.object({schemaVersion, current: text.optional(), profiles: z.record(z.string(), profile)})
const texts = z.record(z.string(), z.string())
// Tokens that a credential command printed are used until shortly before they expire.
const secrets = z.object({schemaVersion, secrets: texts, tokens: texts})

export type Profile = z.infer<typeof profile>
export type Settings = z.infer<typeof settings>
export type Secrets = z.infer<typeof secrets>

const toShape = (schema: z.ZodType) => keepShapeKeywords(createSchemaCollector('').add(schema))

export const settingsShape = toShape(settings)
export const secretsShape = toShape(secrets)
