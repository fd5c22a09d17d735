// The argument that names a customer.
import * as Args from '@oclif/core/args'

// It is not required, because a person can choose from a list. `findCustomerId` rejects a script without one.
export const customerArgument = Args.string({
  description: 'ID of the customer, its first 8 or more characters, or the email',
})
