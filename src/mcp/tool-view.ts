// Shows the tools of `svc mcp --tools`.
import type {View} from '../cli/output/view.ts'
import type {ToolInfo} from './server.ts'

export const toolView: View<ToolInfo> = {
  singular: 'tool',
  plural: 'tools',
  columns: [
    {name: 'name', header: 'TOOL', value: ({name}) => name, rank: 0},
    {name: 'writes', header: 'PAYS', value: ({writes}) => (writes ? 'yes' : 'no'), rank: 1},
    {name: 'description', header: 'WHAT IT DOES', value: ({description}) => description, rank: 2},
  ],
}
