// How aliases are shown.
import type {View} from '../output/view.ts'
import type {Alias} from './stored-aliases.ts'

export const aliasView: View<Alias> = {
  singular: 'alias',
  plural: 'aliases',
  columns: [
    {name: 'name', header: 'NAME', value: ({name}) => name, rank: 0},
    {
      name: 'expansion',
      short: 'command',
      header: 'STANDS FOR',
      value: ({expansion}) => expansion,
      format: (expansion) => `svc ${String(expansion)}`,
      rank: 0,
      widthGood: 50,
      widthMin: 20,
      wraps: true,
    },
  ],
}
