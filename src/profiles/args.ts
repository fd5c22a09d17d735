// The argument of the commands that change one profile.
import * as Args from '@oclif/core/args'

export const profileArgs = {name: Args.string({description: 'Name of the profile', required: true})}
