// A request for a page, and what it takes to answer it.
import type {SandboxRequest} from './exchange.ts'
import type {createBatchRunner} from '../service/run.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'

export interface PageRequest {
  environment: SandboxEnvironment
  operate: ReturnType<typeof createBatchRunner>
  request: SandboxRequest
  path: string
  search: string
  // The origins that may show pages in a frame.
  frameAncestors: readonly string[]
  // Receives unexpected errors. The page shows only that there was one.
  onFault: (error: unknown) => void
}
