// The tables of faults and behaviours.
import type {Tables} from '../store/schema.ts'

export const faultTables: Tables = {
  names: ['behaviours'],
  sql: `
  create table behaviours (
    name text not null primary key,
    value text not null
  ) strict;
  `,
}
