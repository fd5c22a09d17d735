// The spaces of a running server, as a table and as a record.
import {formatMinute} from '../../cli/output/format-values.ts'
import type {View} from '../../cli/output/view.ts'
import type {SpaceRecord} from '../operations/control-host.ts'

export const spaceView: View<SpaceRecord> = {
  singular: 'space',
  plural: 'spaces',
  columns: [
    {name: 'name', header: 'NAME', value: (s) => s.name, rank: 0},
    {name: 'createdAt', header: 'CREATED', value: (s) => s.createdAt, format: formatMinute, rank: 1},
    {name: 'apiKey', header: 'API KEY', value: (s) => s.apiKey, rank: 0},
    {name: 'formsUrl', header: 'FORMS', value: (s) => s.formsUrl, rank: 2, onRequest: true},
    {name: 'consoleUrl', header: 'CONSOLE', value: (s) => s.consoleUrl, rank: 2, onRequest: true},
  ],
}
