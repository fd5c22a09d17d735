// How values of every view are shortened for people.

// Items come from the service, so any field may be missing or of another kind than the contract says.
export type Item = Readonly<Record<string, unknown>>

// Minutes are enough for a table; JSON and CSV keep the timestamp as it came.
export const toTheMinute = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

export const yesOrNo = (value: unknown) => (value ? 'yes' : 'no')
