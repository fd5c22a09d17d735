// Says at the end of a process, on standard error, how much memory it had at the most, and its time on the processor.
import {readPeakMemory} from './read-peak-memory.mjs'

process.on('exit', () => {
  const {userCPUTime, systemCPUTime} = process.resourceUsage()
  process.stderr.write(`peak ${readPeakMemory()} KiB, ${Math.round((userCPUTime + systemCPUTime) / 1000)} ms of CPU\n`)
})
