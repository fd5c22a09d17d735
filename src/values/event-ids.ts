// The id of an event that somebody made up says so at its end. The signature of an event covers its id.
const madeUpMark = '_made_up'

export const toMadeUpEventId = (eventId: string): string => eventId + madeUpMark

export const isMadeUpEvent = (eventId: string): boolean => eventId.endsWith(madeUpMark)
