// The operations on snapshots.
import {op} from './define.ts'

const input = {
  name: {
    type: 'text',
    says: 'Name of the snapshot: letters, digits, dots, dashes and underscores',
    isRequired: true,
    isArgument: true,
  },
} as const

export const snapshots = {
  'snapshot.save': op({
    says: 'Save a snapshot of the sandbox',
    input,
    output: 'Snapshot',
    view: 'snapshot',
    examples: {
      'Save a snapshot before trying something': 'svc sandbox snapshot save before',
      'Save a snapshot before a test, without output': 'svc sandbox snapshot save before --quiet',
    },
    run: (controls, {name}) => controls.snapshots.save(name),
  }),

  'snapshot.restore': op({
    says: 'Restore a snapshot, including its time',
    input,
    output: 'Snapshot',
    view: 'snapshot',
    examples: {
      'Restore a snapshot': 'svc sandbox snapshot restore before',
      'Restore a snapshot after a test, without output': 'svc sandbox snapshot restore before --quiet',
    },
    run: (controls, {name}) => controls.snapshots.restore(name),
  }),

  'snapshot.list': op({
    says: 'List snapshots of the sandbox, oldest first',
    isRead: true,
    output: (kit) => kit.z.strictObject({snapshots: kit.z.array(kit.createResult('Snapshot'))}),
    view: 'snapshot',
    list: 'snapshots',
    examples: {
      'List snapshots, oldest first': 'svc sandbox snapshot list',
      'Print only the names': "svc sandbox snapshot list --jq '.snapshots[].name'",
    },
    run: (controls) => ({snapshots: controls.snapshots.list()}),
  }),
}
