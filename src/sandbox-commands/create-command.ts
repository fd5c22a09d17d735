// Makes the commands of the sandbox from the definitions of its operations.
import type {Command} from '@oclif/core'
import {SvcCommand} from '../cli/command.ts'
import {type Finder, type Reference, toArgumentReference, toFlagReference} from '../cli/ids/finder.ts'
import {type Result, itemResult, listResult, removedResult} from '../cli/output/result.ts'
import {type View, toText} from '../cli/output/view.ts'
import {getExitCodes} from '../errors.ts'
import {type Control, openControl} from '../sandbox-control.ts'
import type {Operation} from '../sandbox/operations/define.ts'
import type {OperationName} from '../sandbox/operations/operations.ts'
import {type NamedField, createArguments, createFlags, listFlagFields} from './flags.ts'
import {type CommandRun, findSpecial} from './specials.ts'
import {findView} from './views.ts'

// For the table of commands, which knows an operation by its name.
export async function loadOperationCommand(name: OperationName): Promise<{default: Command.Class}> {
  const {getOperation} = await import('../sandbox/operations/operations.ts')
  return {default: createCommand(name, getOperation(name))}
}

function toReference({name, definition}: NamedField, text: string | undefined): Reference {
  if (!definition.isArgument) return toFlagReference(name, text)
  if (name === 'id') return toArgumentReference(definition.finds ?? '', text)
  return {what: `The ${name}`, name: name.toUpperCase(), text}
}

// What is written may be less than an id.
async function findId(finder: Finder, {call, caller}: Control, field: NamedField, text?: string): Promise<string> {
  const reference = toReference(field, text)
  switch (field.definition.finds) {
    case 'customer':
      return (await import('../customers/find-customer.ts')).findCustomerId(finder, reference)
    case 'account':
      return (await import('../accounts/find-account.ts')).findAnyAccountId(finder, reference)
    case 'transaction': {
      const [{findTransactionReference}, {resolveTransactionKey}] = await Promise.all([
        import('../transactions/find-transaction.ts'),
        import('../payments/resolve-transaction.ts'),
      ])
      const found = caller ? await resolveTransactionKey(text, async () => caller) : text
      return (await findTransactionReference(finder, {}, {...reference, text: found})).transactionId
    }
    case 'endpoint':
      return (await import('../events/find.ts')).findEndpointId(finder, call, reference)
    default:
      return (await import('../events/find.ts')).findSentId(finder, call, reference)
  }
}

// The values of the flags and arguments, by the names of the fields.
const readValues = (fields: readonly NamedField[], given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(fields.map(({field, name}) => [field, given[name]]))

// A person is asked for what is to be found; whatever else is missing is named at once.
function listMissing(fields: readonly NamedField[], values: Readonly<Record<string, unknown>>, isInteractive: boolean) {
  const missing = fields.filter(({field, definition}) => definition.isRequired && values[field] === undefined)
  const isHopeless = missing.some(({definition}) => definition.finds === undefined)
  const named = missing.filter(({definition}) => !isInteractive || definition.finds === undefined)
  return isHopeless ? named.map(({name, definition}) => (definition.isArgument ? name.toUpperCase() : `--${name}`)) : []
}

function toResult(
  name: OperationName,
  result: object,
  list: string | undefined,
  view: View<unknown> | undefined,
): Result {
  const id = view?.columns[0]?.value(result)
  if (view && name.endsWith('.remove'))
    return removedResult(result, view, `Removed the ${view.singular} ${toText(id)}.`)
  if (list === undefined) return itemResult(result, view)
  const items = (result as Readonly<Record<string, object[]>>)[list] ?? []
  return view && listResult([...items], list, view)
}

function createCommand(name: OperationName, operation: Operation<never, unknown>): Command.Class {
  const {says, more, examples, isRead, list, view} = operation
  if (!examples) throw new Error(`the operation ${name} has no command`)
  const fields = listFlagFields(operation)
  const special = findSpecial(name)
  const ownView = view === undefined ? undefined : findView(view, operation)

  class OperationCommand extends SvcCommand {
    async run(): Promise<Result> {
      const {args, flags} = await this.parse(OperationCommand)
      const values = readValues(fields, {...args, ...flags})
      const run: CommandRun = {
        values,
        flags,
        format: this.format,
        notice: (text) => this.notice(text),
        requireAll: (missing) => this.requireAll(missing),
      }
      this.requireAll(listMissing(fields, values, this.isInteractive))
      special.prepare?.(run)
      const control = await openControl()
      for (const field of fields) {
        const text = values[field.field] as string | undefined
        if (field.definition.finds === undefined || (text === undefined && !field.definition.isRequired)) continue
        values[field.field] = await findId(this.finder(control.caller), control, field, text)
      }
      if (special.replace) return special.replace(run, control)
      const result = await control.call(name, values)
      const shown = special.finish ? await special.finish(run, result, control) : toResult(name, result, list, ownView)
      return isRead ? shown : this.finishWrite(shown)
    }
  }
  return Object.assign(OperationCommand, {
    summary: says,
    examples: Object.entries(examples).map(([words, example]) => ({description: words, command: example})),
    ...(more !== undefined && {description: more}),
    exits: getExitCodes(
      'usage',
      ...(fields.some(({definition}) => definition.isArgument) ? (['notFound'] as const) : []),
    ),
    ...(ownView && {view: ownView}),
    args: createArguments(fields),
    flags: {
      ...createFlags(fields),
      ...special.flags,
    },
  })
}
