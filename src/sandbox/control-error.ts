// Says no to whoever runs the sandbox: what they asked for cannot be, and the sentence says why.
export class ControlError extends Error {
  override name = 'ControlError'
  // Whether what they named is simply not there.
  readonly notFound: boolean

  constructor(message: string, {notFound = false}: {notFound?: boolean} = {}) {
    super(message)
    this.notFound = notFound
  }
}
