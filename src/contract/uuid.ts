// Recognizes UUIDs, of any version and in any case: the interface says only "UUID format".
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isUuid = (text: string): boolean => uuidPattern.test(text)
