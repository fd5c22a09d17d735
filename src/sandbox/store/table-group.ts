// The tables that one part of the sandbox brings to its database.
export interface TableGroup {
  // Those that refer to others first, so that emptying them in this order breaks no reference.
  names: readonly string[]
  sql: string
}
