// The tables of webhook endpoints, events and deliveries.
import type {Tables} from '../store/schema.ts'

export const webhookTables: Tables = {
  names: [],
  sql: '',
}
