// The tables of the requests that were asked and answered.
import type {Tables} from '../store/schema.ts'

export const logTables: Tables = {
  names: [],
  sql: '',
}
