// Magic values of the sandbox, as a table.
import type {MagicValue} from '../service/customers/magic-values.ts'
import type {View} from '../../cli/output/view.ts'

export const magicView: View<MagicValue> = {
  singular: 'magic value',
  plural: 'magic values',
  columns: [
    {name: 'value', header: 'VALUE', value: (m) => m.value, rank: 0},
    {name: 'field', header: 'FIELD', value: (m) => m.field, rank: 0},
    {name: 'effect', header: 'EFFECT', value: (m) => m.effect, rank: 0, widthMin: 16, wraps: true},
    {name: 'precedence', header: 'PRECEDENCE', value: (m) => m.precedence, rank: 3, align: 'right'},
    {name: 'code', header: 'CODE', value: (m) => m.code, rank: 4, onRequest: true},
    {name: 'of', header: 'OF', value: (m) => m.of, rank: 5, onRequest: true},
  ],
}
