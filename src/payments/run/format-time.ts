// Times in messages about payments: to the minute, in UTC.
export const formatTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
