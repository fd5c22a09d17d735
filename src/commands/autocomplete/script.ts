// Prints the line that a shell's settings need for completion: oclif's own command, taken by its path since the package exports none.
export {default} from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/script.js'
