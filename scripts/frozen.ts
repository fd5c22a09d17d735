// A plugin for bundles: files named *.frozen.ts hold plain data, such as what is derived from the contract, which is evaluated while
// bundling, so that nothing is derived at run time.
import type {Plugin} from 'rolldown'

export const frozen: Plugin = {
  name: 'frozen',
  async load(id) {
    if (!id.endsWith('.frozen.ts')) return null
    const values = (await import(id)) as Record<string, unknown>
    return Object.entries(values)
      .map(([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))})`)
      .join('\n')
  },
}
