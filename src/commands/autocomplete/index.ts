// Shows how to set up completion in a shell: oclif's own command, taken by its path since the package exports none.
export {default} from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/index.js'
