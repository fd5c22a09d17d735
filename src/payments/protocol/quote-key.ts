// The keys of payments whose quote was made elsewhere: the id of the quote, with a prefix that no other key may have.

const prefix = 'quote:'

export const reservedPrefixRule = `must not begin with ${prefix}, which is reserved for quotes`
export const toQuoteKey = (quoteId: string) => `${prefix}${quoteId}`
export const isQuoteKey = (key: string): boolean => key.startsWith(prefix)
