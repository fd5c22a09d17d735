// How long work takes on an idle machine, measured on a machine that may be busy or slow: CPU time of this thread, compared with
// the CPU time of a reference that is measured just before and just after.

// The CPU time of the reference on an idle machine with a processor of 3 GHz.
const referenceMs = 40
const referenceRounds = 4000

const createSample = (round: number) => ({
  id: `sample-${round}`,
  amounts: Array.from({length: 8}, (_, index) => `${round * index}.${index}0`),
  parties: {from: {name: 'Ada', number: round}, to: {name: 'Grace', number: round + 1}},
})

// Objects, texts and memory, as in the code that is measured.
function runReference(): void {
  const samples = new Map<string, string>()
  for (let round = 0; round < referenceRounds; round++) {
    const {id, amounts} = JSON.parse(JSON.stringify(createSample(round))) as ReturnType<typeof createSample>
    samples.set(id, amounts.map((amount) => amount.padStart(12, '0')).join(';'))
  }
}

function measureThreadMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const {user, system} = process.threadCpuUsage(before)
  return (user + system) / 1000
}

// In milliseconds of an idle machine.
export function measureCpuMs(work: () => void): number {
  // Compiled before it is measured.
  runReference()
  const beforeMs = measureThreadMs(runReference)
  const workMs = measureThreadMs(work)
  const afterMs = measureThreadMs(runReference)
  return (workMs * referenceMs * 2) / (beforeMs + afterMs)
}
