// Keeps the memory use of long work constant.

const setFlag = (flag: string) => process.getBuiltinModule('node:v8').setFlagsFromString(flag)

// V8 lets its space for young objects grow to 64 MB and more under load. That brings nothing when pages or rows are handled
// one after the other, so from here on the space keeps its current size.
export function limitHeapGrowth(): void {
  setFlag('--semi-space-growth-factor=1')
}

// The largest function that is optimized, in bytes of its bytecode, and V8's own limit.
const optimizedBytesMax = 1000
const optimizedBytesMaxUsual = 61_440

// V8 has two compilers for code that runs often. The first one, Maglev, takes 15 MB for the functions that read a page; the other one
// takes less, and its code is faster. For a large function of Node that takes several MB too, and gains nothing. Returns a function that
// ends the limit.
export function limitCompilers(): () => void {
  setFlag('--no-maglev')
  setFlag(`--max-optimized-bytecode-size=${optimizedBytesMax}`)
  return () => {
    setFlag('--maglev')
    setFlag(`--max-optimized-bytecode-size=${optimizedBytesMaxUsual}`)
  }
}

type Collect = (options?: {type: 'minor'}) => void

// V8's own function to collect garbage. Undefined if this Node has none.
export function loadCollector(): Collect | undefined {
  setFlag('--expose-gc')
  return process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc') as Collect | undefined
}

// With the 1 MB that it starts with, many payments at once are interrupted by a collection three times a row, and what they still
// use is copied each time.
const youngMegabytes = 4
const growthFactor = 4
const callsPerCheck = 32

// Lets the space for young objects grow once, to a size that suits many payments at once. The returned function has to be called
// again and again: it ends the growth.
export function allowHeapGrowth(): () => void {
  const {getHeapSpaceStatistics} = process.getBuiltinModule('node:v8')
  let hasEnded = false
  let calls = 0
  setFlag(`--semi-space-growth-factor=${growthFactor}`)
  return () => {
    if (hasEnded || ++calls % callsPerCheck !== 0) return
    const young = getHeapSpaceStatistics().find(({space_name: name}) => name === 'new_space')
    hasEnded = (young?.space_size ?? 0) >= youngMegabytes * 1024 * 1024
    if (hasEnded) limitHeapGrowth()
  }
}

const garbagePercentMax = 20

// V8 collects old objects only when there are several times as many as are in use. For long work that keeps nothing, this would
// mostly be garbage. Returns a function that ends the limit.
export function limitGarbage(): () => void {
  setFlag(`--heap-growing-percent=${garbagePercentMax}`)
  return () => setFlag('--heap-growing-percent=0')
}
