// Runs work that makes thousands of errors, whose stack traces nobody reads and which take long to capture.

export async function withoutStackTraces<T>(work: () => Promise<T>): Promise<T> {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return await work()
  } finally {
    Error.stackTraceLimit = limit
  }
}
