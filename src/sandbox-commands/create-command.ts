// Makes the commands of the sandbox from the definitions of its operations.
import type {Command} from '@oclif/core'
import {SvcCommand} from '../cli/command.ts'
import {controlFlags, sortFlags} from '../cli/flags/shared.ts'
import {type Finder, type Reference, toArgumentReference, toFlagReference} from '../cli/ids/finder.ts'
import {type Result, itemResult, listResult, removedResult} from '../cli/output/result.ts'
import {type View, toText} from '../cli/output/view.ts'
import {getExitCodes} from '../errors.ts'
import {type Control, type ControlChoice, openControl} from '../sandbox-control.ts'
import type {Operation} from '../sandbox/operations/define.ts'
import type {Fields, NamedField} from '../sandbox/operations/fields.ts'
import type {OperationName} from '../sandbox/operations/operations.ts'
import {createArguments, createFlags} from './flags.ts'
import {type CommandRun, findSpecial} from './specials.ts'
import {createFieldsView, views} from './views.ts'

// For the table of commands, which knows an operation by its name.
export async function loadOperationCommand(name: OperationName): Promise<{default: Command.Class}> {
  const [{getOperation}, {nameFields}] = await Promise.all([
    import('../sandbox/operations/operations.ts'),
    import('../sandbox/operations/fields.ts'),
  ])
  const operation = getOperation(name)
  const fields = nameFields(operation.input).filter(({definition}) => definition.summary !== undefined)
  return {default: createCommand(name, operation, fields)}
}

const findView = (name: string | undefined, fields: Fields): View<unknown> | undefined =>
  name === undefined ? undefined : (views[name]?.() ?? createFieldsView(name, fields))

function toReference({name, definition}: NamedField, text: string | undefined): Reference {
  if (!definition.isArgument) return toFlagReference(name, text)
  if (name === 'id') return toArgumentReference(definition.refersTo ?? '', text)
  return {what: `The ${name}`, name: name.toUpperCase(), text}
}

// What is written may be less than an id.
async function findId(finder: Finder, {call, caller}: Control, field: NamedField, text?: string): Promise<string> {
  const reference = toReference(field, text)
  switch (field.definition.refersTo) {
    case 'customer':
      return (await import('../customers/find-customer.ts')).findCustomerId(finder, reference)
    case 'account':
      return (await import('../accounts/find-account.ts')).findAnyAccountId(finder, reference)
    case 'transaction': {
      const [{findTransactionReference}, {resolveTransactionKey}] = await Promise.all([
        import('../transactions/find-transaction.ts'),
        import('../payments/journal/entries.ts'),
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
  Object.fromEntries(
    fields.map(({field, name, definition: {aliases = {}}}) => {
      const value = given[name]
      return [field, typeof value === 'string' ? (aliases[value] ?? value) : value]
    }),
  )

// A person is asked for what is to be found; whatever else is missing is named at once.
function listMissing(fields: readonly NamedField[], values: Readonly<Record<string, unknown>>, isInteractive: boolean) {
  const missing = fields.filter(({field, definition}) => definition.isRequired && values[field] === undefined)
  const isHopeless = missing.some(({definition}) => definition.refersTo === undefined)
  const named = missing.filter(({definition}) => !isInteractive || definition.refersTo === undefined)
  return isHopeless ? named.map(({name}) => `--${name}`) : []
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

function createCommand(
  name: OperationName,
  operation: Operation<unknown, unknown>,
  fields: readonly NamedField[],
): Command.Class {
  const {command, input, isRead} = operation
  if (!command) throw new Error(`the operation ${name} defines no command`)
  const {summary = operation.summary, description, examples, exits, isSortable, list} = command
  const special = findSpecial(name)
  const ownView = findView(command.view, input)

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
      const control = await openControl(flags as ControlChoice)
      for (const field of fields) {
        const text = values[field.field] as string | undefined
        if (field.definition.refersTo === undefined || (text === undefined && !field.definition.isRequired)) continue
        values[field.field] = await findId(this.finder(control.caller), control, field, text)
      }
      if (special.replace) return special.replace(run, control)
      const result = await control.call(name, values)
      const shown = special.finish ? await special.finish(run, result, control) : toResult(name, result, list, ownView)
      return isRead ? shown : this.finishWrite(shown)
    }
  }
  return Object.assign(OperationCommand, {
    summary,
    examples: Object.entries(examples).map(([words, example]) => ({description: words, command: example})),
    ...(description !== undefined && {description}),
    ...(exits && {exits: getExitCodes(...exits)}),
    ...(ownView && {view: ownView}),
    args: createArguments(fields),
    flags: {
      ...createFlags(fields),
      ...(isSortable && sortFlags),
      ...controlFlags,
      ...special.flags,
    },
  })
}
