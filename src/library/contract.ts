// The interface of the service as data: its endpoints, schemas, error and issue codes.
import {endpointEntries} from '../contract/endpoints.ts'
import {issueCodes as issueEntries} from '../contract/issue-codes.ts'
import {createSchemaCollector} from '../contract/json-schema.ts'
import {buildOpenApiDocument} from '../contract/openapi.ts'
import {findProblems} from '../contract/problems.ts'
import {serviceErrors as errorEntries} from '../contract/service-errors.ts'
import {ruleUpdate} from '../contract/rules.ts'
import {badUsage} from '../errors.ts'
import type {AutomationRule, RuleUpdate} from './service-types.ts'

export type * from './service-types.ts'

export interface EndpointInfo {
  /** Such as customers.create. */
  name: string
  summary: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  hasBody: boolean
}

export interface IssueInfo {
  code: string
  meaning: string
  /** What the customer, or support, has to do. */
  resolution: string
  resolver: 'CUSTOMER' | 'CUSTOMER_THEN_SUPPORT' | 'SUPPORT'
}

export interface ErrorInfo {
  error: string
  statusCode: number
  condition: string
  /** Whether the interface does not name it. */
  assumed: boolean
}

export interface BodyProblem {
  /** Such as kycData.documents[0].type. */
  path: string
  message: string
}

export const endpoints: readonly EndpointInfo[] = endpointEntries.map(({name, endpoint}) => ({
  name,
  summary: endpoint.summary,
  method: endpoint.method,
  path: endpoint.path,
  hasBody: endpoint.body !== undefined,
}))

export const issueCodes: readonly IssueInfo[] = issueEntries
export const serviceErrors: readonly ErrorInfo[] = errorEntries

const collector = createSchemaCollector('#/$defs/')
for (const {endpoint} of endpointEntries) {
  collector.add(endpoint.reply)
  // A schema becomes a definition where another one refers to it.
  if (endpoint.body) collector.add(endpoint.body.optional())
}

/** JSON Schemas of the entities and bodies, by name. They refer to each other as `#/$defs/Name`. */
export const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = collector.definitions

/** What is wrong with the body of a request, before it is sent. Empty if nothing is. */
export function validateBody(endpoint: string, body: unknown): BodyProblem[] {
  const schema = endpointEntries.find(({name}) => name === endpoint)?.endpoint.body
  if (!schema) throw badUsage(`There is no endpoint ${endpoint} with a body`, 'The names are in `endpoints`')
  return findProblems(schema, body).map(({path, message}) => ({path, message}))
}

/** The body with which PUT keeps a rule as it was read: currencies become their labels, and `createdAt` is left out. */
export function toRuleUpdate(rule: AutomationRule): RuleUpdate {
  const {createdAt: _, transactionTemplate, ...others} = rule
  const {source, destination, ...template} = transactionTemplate
  return ruleUpdate.parse({
    ...others,
    transactionTemplate: {
      ...template,
      source: {...source, sourceCurrency: source.sourceCurrency.label},
      destination: {...destination, destinationCurrency: destination.destinationCurrency.label},
    },
  })
}

/** The OpenAPI 3.1 document of the service. */
export const buildOpenApi = (serverUrl: string): Record<string, unknown> => buildOpenApiDocument(serverUrl)
