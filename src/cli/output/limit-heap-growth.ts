// Keeps the memory use of long work constant.

// V8 lets its space for young objects grow to 64 MB and more under load. That brings nothing when pages or rows are handled
// one after the other, so from here on the space keeps its current size.
export function limitHeapGrowth(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
