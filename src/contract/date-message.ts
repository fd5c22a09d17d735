// What is said of a date that is none, by the schemas and by the checks that do without them.
export const dateMessage = 'must be an ISO 8601 date, YYYY-MM-DD'
