// The operations on snapshots.
import {defineOperation} from './define.ts'

const snapshotName = {
  name: {
    type: 'text',
    isRequired: true,
    description: 'Letters, digits, dots, dashes and underscores',
    summary: 'Name of the snapshot',
    isArgument: true,
    isFlagRequired: true,
  },
} as const

const savedBefore = [{name: 'before'}]

export const snapshots = {
  'snapshot.save': defineOperation({
    summary: 'Save a snapshot',
    input: snapshotName,
    examples: savedBefore,
    output: 'Snapshot',
    command: {
      summary: 'Save a snapshot of the sandbox',
      examples: {
        'Save a snapshot before trying something': 'svc sandbox snapshot save before',
        'Save a snapshot before a test, without output': 'svc sandbox snapshot save before --quiet',
      },
      view: 'snapshot',
    },
    run: (controls, {name}) => controls.snapshots.save(name),
  }),

  'snapshot.restore': defineOperation({
    summary: 'Restore a snapshot, including its time',
    input: snapshotName,
    examples: savedBefore,
    output: 'Snapshot',
    command: {
      examples: {
        'Restore a snapshot': 'svc sandbox snapshot restore before',
        'Restore a snapshot after a test, without output': 'svc sandbox snapshot restore before --quiet',
      },
      exits: ['usage', 'notFound'],
      view: 'snapshot',
    },
    run: (controls, {name}) => controls.snapshots.restore(name),
  }),

  'snapshot.list': defineOperation({
    isRead: true,
    summary: 'List snapshots, oldest first',
    input: {},
    output: (kit) => kit.z.strictObject({snapshots: kit.z.array(kit.createResult('Snapshot'))}),
    command: {
      summary: 'List snapshots of the sandbox',
      examples: {
        'List snapshots, oldest first': 'svc sandbox snapshot list',
        'Print only the names': "svc sandbox snapshot list --jq '.snapshots[].name'",
      },
      view: 'snapshot',
      list: 'snapshots',
      isSortable: true,
    },
    run: (controls) => ({snapshots: controls.snapshots.list()}),
  }),
}
