// Keeps the memory use of long work constant.

const setFlag = (flag: string) => process.getBuiltinModule('node:v8').setFlagsFromString(flag)

// V8 lets its space for young objects grow to 64 MB and more under load. That brings nothing when pages or rows are handled
// one after the other, so from here on the space keeps its current size.
export function limitHeapGrowth(): void {
  setFlag('--semi-space-growth-factor=1')
}

const garbagePercentMax = 20

// V8 collects old objects only when there are several times as many as are in use. For long work that keeps nothing, this would
// mostly be garbage. Returns a function that ends the limit.
export function limitGarbage(): () => void {
  setFlag(`--heap-growing-percent=${garbagePercentMax}`)
  return () => setFlag('--heap-growing-percent=0')
}
