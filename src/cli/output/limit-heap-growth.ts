// Keeps the memory of a long piece of work flat.

// V8 lets the space for young objects grow to 64 MB and more when much passes through it, which buys nothing where one page or
// one row comes after the other. From here on it stays as large as it is.
export function limitHeapGrowth(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
