// The tables of automation rules.
import type {Tables} from '../store/schema.ts'

export const ruleTables: Tables = {
  names: [],
  sql: '',
}
