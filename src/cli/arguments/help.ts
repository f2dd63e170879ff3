// What --help prints: the overview, and the help of one command.
import type { CommandDefinition, OptionDefinition } from '../command.ts'
import { commandGroups } from '../commands/index.ts'
import { EXIT, EXIT_MEANINGS } from '../exit-status.ts'
import { GLOBAL_OPTIONS, HELP_COMMAND, HELP_OPTION, VERSION_OPTION } from './global-options.ts'

const DESCRIPTION =
  'Keep your conversations with AI coding agents: read them even when their files are damaged, and repair them.'

const START_HERE = `Lost a conversation? Start here:
  rethread                      read, repair and resume in the browser
  rethread list                 list every conversation, newest first
  rethread search <words>       find a phrase, an error message, a file name
  rethread show <id>            read one, even if its file is damaged
  rethread check                report what is wrong, and what a resume would load
  rethread resume <id>          repair it if needed, then continue in the agent itself

Only repair, resume, undo, restore, relink, move, doctor --fix, sanitize, jp, trash restore and
mcp --write change files of an agent, and serve, server, acp and opencode where they repair or restore
a session: never while the agent is writing, and a copy is kept. These and repairs also finish what an
interrupted run has left.`

/** Text that would be narrower is not wrapped. */
const MIN_WRAPPED = 40
const PLAIN_COLUMNS = 80
const INDENT = 2
const GAP = 2

interface Item {
  term: string
  description: string
}

interface Section {
  title: string
  items: Item[]
}

/** The help of a command, or the overview, as wide as the terminal. */
export function describeHelp(definition: CommandDefinition | undefined, stream: NodeJS.WriteStream): string {
  const width = stream.isTTY ? stream.columns : PLAIN_COLUMNS
  return definition === undefined ? describeProgram(width) : describeCommand(definition, width)
}

export function describeProgram(width: number): string {
  const groups = commandGroups.map(({ title, commands }) => ({
    title,
    items: commands.filter(({ isHidden }) => isHidden !== true).map(commandItem),
  }))
  groups
    .at(-1)
    ?.items.push({ term: `${HELP_COMMAND.name} ${HELP_COMMAND.arguments}`, description: HELP_COMMAND.summary })
  const sections = [optionSection([VERSION_OPTION, ...GLOBAL_OPTIONS, HELP_OPTION]), ...groups]
  const after = `${START_HERE}\n\nExit statuses:\n${describeStatuses()}`
  return layOut({ usage: 'rethread [options] [command]', description: DESCRIPTION, sections, after }, width)
}

export function describeCommand(definition: CommandDefinition, width: number): string {
  const { summary, options, help } = definition
  const usage = `rethread ${usageOf(definition)}`
  const sections = [optionSection([...options, ...GLOBAL_OPTIONS, HELP_OPTION])]
  return layOut({ usage, description: summary, sections, after: help }, width)
}

function usageOf({ name, arguments: declared }: CommandDefinition): string {
  return `${name} [options]${declared === undefined ? '' : ` ${declared}`}`
}

function commandItem(definition: CommandDefinition): Item {
  return { term: usageOf(definition), description: definition.summary }
}

function optionSection(options: readonly OptionDefinition[]): Section {
  return { title: 'Options', items: options.map(({ flags, description }) => ({ term: flags, description })) }
}

function describeStatuses(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[]
  return names.map(name => `  ${String(EXIT[name]).padEnd(4)} ${EXIT_MEANINGS[name]}`).join('\n')
}

interface Page {
  usage: string
  description: string
  sections: Section[]
  after: string | undefined
}

function layOut({ usage, description, sections, after }: Page, width: number): string {
  const termWidth = Math.max(...sections.flatMap(({ items }) => items.map(({ term }) => term.length)))
  const lines = [`Usage: ${usage}`, '', ...wrap(description, width), '']
  for (const { title, items } of sections)
    lines.push(`${title}:`, ...items.map(item => layOutItem(item, termWidth, width)), '')
  return [...lines, ...(after === undefined ? [] : [after, ''])].join('\n')
}

function layOutItem({ term, description }: Item, termWidth: number, width: number): string {
  const before = ' '.repeat(INDENT) + term.padEnd(termWidth) + ' '.repeat(GAP)
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
