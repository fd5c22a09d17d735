// The flags of commands that can act on a running sandbox instead of the one of this machine.
import * as Flags from '@oclif/core/flags'

export const serverFlags = {
  url: Flags.string({
    summary: 'Use the server at this address, such as http://127.0.0.1:4010 (the sandbox of this machine)',
    env: 'SVC_URL',
    helpValue: 'URL',
  }),
}

export const controlFlags = {
  ...serverFlags,
  space: Flags.string({
    summary: 'Use this space of a server that was started with --spaces',
    env: 'SVC_SPACE',
    helpValue: 'NAME',
  }),
}
