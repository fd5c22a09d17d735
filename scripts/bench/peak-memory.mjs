// Says at the end of a process, on standard error, how much memory it had at the most.
process.on('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS} KiB\n`))
