// Where an operation runs, beside its sandbox: a server, which can have spaces.
import {ControlError} from './control-error.ts'

// A space of a running server, as its lists show it.
export interface SpaceRecord {
  name: string
  // The API key of the server, followed by @ and the name.
  apiKey: string
  formsUrl: string
  consoleUrl: string
  // In real time.
  createdAt: string
}

export interface SpaceControls {
  list(): SpaceRecord[]
  remove(name: string): Promise<SpaceRecord>
}

export interface ControlHost {
  spaces?: SpaceControls | undefined
  // The space that the request names.
  spaceName?: string | undefined
}

export function requireSpaces(spaces: SpaceControls | undefined): SpaceControls {
  if (spaces) return spaces
  throw new ControlError('This sandbox has no spaces: `svc sandbox start --spaces` serves one that has')
}
