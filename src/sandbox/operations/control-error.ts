// An operation on the sandbox, such as moving its clock, is not possible. The message says why.
export class ControlError extends Error {
  override name = 'ControlError'
  // Whether the reason is that the named object does not exist.
  readonly notFound: boolean

  constructor(message: string, {notFound = false}: {notFound?: boolean} = {}) {
    super(message)
    this.notFound = notFound
  }
}
