// The tables of one module of the sandbox. The first column of a table that ends in Id identifies its rows, for
// `svc sandbox snapshot diff`.
export interface TableGroup {
  // Tables come before the ones they refer to, so that they can be emptied in this order.
  namesInDeletionOrder: readonly string[]
  sql: string
}
