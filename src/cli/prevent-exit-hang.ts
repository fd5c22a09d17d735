// Keeps process.exit() from waiting for ever (nodejs/node#54918). It waits for the threads of V8, and a thread that compiles a
// function waits for a garbage collection when the heap has reached its limit, which only the main thread could do. After a
// collection the heap is far from its limit.
import {loadCollector} from './output/limit-heap-growth.ts'

// With less CPU time, in microseconds, and less memory, in kibibytes, the heap has not reached a limit. Most commands end earlier,
// and save the collection.
const shortRunMicroseconds = 250_000
const smallRunKibibytes = 80 * 1024

function collectGarbage(): void {
  const {userCPUTime, systemCPUTime, maxRSS} = process.resourceUsage()
  if (userCPUTime + systemCPUTime < shortRunMicroseconds && maxRSS < smallRunKibibytes) return
  loadCollector()?.()
}

export const preventExitHang = (): void => void process.once('exit', collectGarbage)
