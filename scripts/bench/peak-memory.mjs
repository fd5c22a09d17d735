// Says at the end of a process, on standard error, how much memory it had at the most, and its time on the processor.
process.on('exit', () => {
  const {maxRSS, userCPUTime, systemCPUTime} = process.resourceUsage()
  process.stderr.write(`peak ${maxRSS} KiB, ${Math.round((userCPUTime + systemCPUTime) / 1000)} ms of CPU\n`)
})
