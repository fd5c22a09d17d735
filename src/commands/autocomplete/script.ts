// Prints the line to add to a shell's startup file: oclif's own command, imported by path because the package exports none.
export {default} from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/script.js'
