// What `rethread --help` prints. It is the first thing that anyone runs, so it loads nothing.
import { commandGroups } from './commands/index.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'

export const DESCRIPTION =
  'Keep your conversations with AI coding agents: read them even when their files are damaged, and repair them.'
export const VERSION_OPTION = ['--version', 'Print the version'] as const
export const HELP_OPTION = ['-h, --help', 'Show this help'] as const
export const HELP_COMMAND = ['help [command]', 'Show help for a command'] as const
/** The group of the help command. */
export const LAST_GROUP = 'More:'

export const AFTER_HELP = `Lost a conversation? Start here:
  rethread                      read, repair and resume in the browser
  rethread list                 list every conversation, newest first
  rethread search <words>       find a phrase, an error message, a file name
  rethread show <id>            read one, even if its file is damaged
  rethread check                report what is wrong, and what a resume would load
  rethread resume <id>          repair it if needed, then continue in the agent itself

Only repair, resume, undo, restore, relink, move, doctor --fix, sanitize, jp, trash restore and
mcp --write change files of an agent: never while it is writing, and a copy is kept.

Exit status: 0 fine, 1 rethread failed, 2 wrong usage, 3 damaged or partial, 4 something was trashed,
5 something could not be examined, 130 interrupted.`

/** Narrower columns are not wrapped. */
const MIN_WRAPPED = 40
const INDENT = 2
const GAP = 2

type Item = readonly [term: string, description: string]

/** Everything is wrapped to `width`. */
export function describeProgram(width: number): string {
  const groups = new Map<string, Item[]>([['Options:', [VERSION_OPTION, ...GLOBAL_OPTIONS, HELP_OPTION]]])
  for (const { title, commands } of commandGroups)
    for (const { name, arguments: args, summary, isHidden } of commands)
      if (isHidden !== true)
        addTo(groups, `${title}:`, [`${name} [options]${args === undefined ? '' : ` ${args}`}`, summary])
  addTo(groups, LAST_GROUP, HELP_COMMAND)
  const terms = Math.max(...[...groups.values()].flat().map(([term]) => term.length))
  const lists = [...groups].flatMap(([title, items]) => [
    title,
    ...items.map(item => describeItem(item, terms, width)),
    '',
  ])
  return ['Usage: rethread [options] [command]', '', ...wrap(DESCRIPTION, width), '', ...lists, AFTER_HELP, ''].join(
    '\n',
  )
}

function addTo(groups: Map<string, Item[]>, title: string, item: Item): void {
  const items = groups.get(title)
  if (items === undefined) groups.set(title, [item])
  else items.push(item)
}

function describeItem([term, description]: Item, terms: number, width: number): string {
  const before = ' '.repeat(INDENT) + term.padEnd(terms) + ' '.repeat(GAP)
  return before + wrap(description, width - before.length).join(`\n${' '.repeat(before.length)}`)
}

function wrap(text: string, width: number): string[] {
  if (width < MIN_WRAPPED) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
