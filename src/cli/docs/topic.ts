// How a page of docs/ is named on the command line: by its file without the ending, or by the number of a numbered file.
export const toTopic = (name: string) => name.replace(/\.md$/, '').replace(/(^|\/)(\d+)-[^/]*$/, '$1$2')
