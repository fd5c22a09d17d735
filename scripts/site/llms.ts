// The files for programs that read the documentation (llmstxt.org): a list of the pages, and all of their text.
import {type SiteGroup, type SitePage, listGroupPages, toMarkdownPath} from './page.ts'

const renderLink = ({path, title, summary}: SitePage) => `- [${title}](${toMarkdownPath(path)}): ${summary}`

const notes = `svc is a program for the terminal. Every command has \`--json\` and fixed exit codes; the whole service is built in as a sandbox
(\`-p sandbox\`), which needs no account and no network. \`svc mcp\` offers the same to agents as tools. A payment is made at most once
for each \`--key\`: if the outcome is unknown (exit code 7), run the same command with the same key again.`

export function renderLlms(description: string, groups: readonly SiteGroup[], commands: readonly SitePage[]): string {
  const sections = groups.map((group) => `## ${group.title}\n\n${listGroupPages(group).map(renderLink).join('\n')}\n`)
  return [
    `# svc\n\n> ${description}.\n\n${notes}\n`,
    ...sections,
    `## Optional\n\n${commands.map(renderLink).join('\n')}\n`,
  ].join('\n')
}

export const renderLlmsFull = (pages: readonly SitePage[]) =>
  pages.map(({path, markdown}) => `<!-- ${toMarkdownPath(path)} -->\n\n${markdown.trim()}\n`).join('\n')
