import fs from 'node:fs'

const readStatus = () => {
  try {
    return fs.readFileSync('/proc/self/status', 'utf8')
  } catch {
    return ''
  }
}

// The most memory that this process has had, in kilobytes. Linux counts in maxRSS also what the process had before it became this
// program, which was a copy of the one that started it.
export const readPeakMemory = () =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readStatus())?.[1] ?? process.resourceUsage().maxRSS)
