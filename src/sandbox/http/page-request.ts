// A request for a page, and what it takes to answer it.
import type {Branding} from '../forms/branding.ts'
import type {SandboxRequest} from './exchange.ts'
import type {createBatchRunner} from '../service/operation.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'

export interface PageRequest {
  environment: SandboxEnvironment
  operate: ReturnType<typeof createBatchRunner>
  request: SandboxRequest
  path: string
  search: string
  // The origins that may show pages in a frame.
  frameAncestors: readonly string[]
  // The integrator's name and logo, for the pages of forms.
  branding?: Branding
  // Receives unexpected errors. The page shows only that there was one.
  onFault: (error: unknown) => void
}
