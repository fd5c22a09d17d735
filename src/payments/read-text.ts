// Reads a scalar of a reply, whose type is not certain: what is not text counts as missing.

export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')
