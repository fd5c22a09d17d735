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
    label: 'Name',
    pattern: String.raw`^\w(?:[\w.]|-){0,63}$`,
    rule: 'letters, digits, dots and hyphens',
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
    section: 'snapshots',
    form: {submitLabel: 'Save snapshot', doneMessage: 'The snapshot was saved.'},
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
    section: 'snapshots',
    form: {submitLabel: 'Restore snapshot', doneMessage: 'The snapshot was restored.'},
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
    section: 'snapshots',
    run: (controls) => ({snapshots: controls.snapshots.list()}),
  }),

  'snapshot.diff': defineOperation({
    isRead: true,
    summary: 'Show what changed since a snapshot',
    input: snapshotName,
    examples: savedBefore,
    output: (kit) => kit.z.strictObject({differences: kit.z.array(kit.createResult('Difference'))}),
    command: {
      examples: {
        'Show the changes': 'svc sandbox snapshot diff before',
        'Count the changed rows': "svc sandbox snapshot diff before --jq '.differences | length'",
      },
      exits: ['usage', 'notFound'],
      view: 'difference',
      list: 'differences',
    },
    section: 'snapshots',
    run: (controls, {name}) => ({differences: controls.snapshots.diff(name)}),
  }),

  'snapshot.export': defineOperation({
    isRead: true,
    summary: 'Get a snapshot as a file',
    input: snapshotName,
    examples: savedBefore,
    output: ({z}) => z.strictObject({name: z.string(), content: z.base64().describe('The file')}),
    run: async (controls, {name}) => {
      const pieces = await Array.fromAsync(controls.snapshots.export(name))
      return {name, content: Buffer.concat(pieces).toString('base64')}
    },
  }),

  'snapshot.import': defineOperation({
    summary: 'Add a snapshot from a file',
    input: {
      content: {type: 'base64', isRequired: true, description: 'The file that was exported'},
      name: {type: 'text', description: 'The name that it had by default'},
      replace: {type: 'boolean', description: 'Replaces a snapshot of the same name'},
    },
    examples: [{content: '{content}', name: 'imported', replace: true}],
    output: 'Snapshot',
    run: (controls, {content, name, replace}) =>
      controls.snapshots.import(ReadableStream.from([Buffer.from(content, 'base64')]), {name, replaces: replace}),
  }),
}
