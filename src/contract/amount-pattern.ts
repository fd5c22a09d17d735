// An amount in a request: a decimal number without sign or exponent.
export const amountPattern = /^\d{1,30}(\.\d{1,30})?$/
