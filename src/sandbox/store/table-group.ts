// The tables of one module of the sandbox.
export interface TableGroup {
  // Tables come before the ones they refer to, so that they can be emptied in this order.
  names: readonly string[]
  sql: string
}
