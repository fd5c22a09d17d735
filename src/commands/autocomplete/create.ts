// Writes the completion functions: oclif's own command, taken by its path since the package exports none, run by the one beside it.
export {default} from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/create.js'
