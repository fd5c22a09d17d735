// Shows the tools of `svc mcp --tools`.
import {type View, createColumn, formatYesNo} from '../cli/output/view.ts'
import type {ToolInfo} from './server.ts'

export const toolView: View<ToolInfo> = {
  singular: 'tool',
  plural: 'tools',
  columns: [
    createColumn('name', 0, {header: 'TOOL'}),
    createColumn('writes', 1, {header: 'PAYS', value: ({writes}) => formatYesNo(writes)}),
    createColumn('description', 2, {header: 'WHAT IT DOES'}),
  ],
}
