// Programs are started in one place, and commands for pasting are made in one place.
import type { Parsed } from './source.ts'

/** Who may start a process, and why it is not `src/disk/processes/start-program.ts`. */
export const STARTERS: Readonly<Record<string, string>> = {
  'src/disk/processes/start-program.ts': 'the place itself',
  'src/server/terminals/pty.ts': 'a terminal is started by another package; it takes a FoundProgram and nothing else',
}

/** Whose words may be options, and where they come from. Nothing of a session is among them. */
export const WRITTEN: Readonly<Record<string, string>> = {
  'src/model/program.ts': 'defines it',
  'src/journal/connection/agent-process.ts': 'the configuration file, or the agent in our own list',
  'src/journal/client/command.ts': 'an agent that runs already, with the rights of the person',
  'src/server/opencode/terminal-host.ts': 'a client that has the token, and so a shell',
  'src/cli/commands/jp.ts': 'the command line of the person, behind --',
  'src/cli/commands/opencode.ts': 'the command line of the person, behind --',
  'src/cli/sanitize/editor.ts': '$EDITOR and --editor',
}

const STARTING_MODULES =
  /^(?:node:)?(?:child_process|cluster)$|^(?:@lydell\/node-pty|node-pty|execa|cross-spawn|zx|tinyexec|nano-spawn)(?:\/|$)/
/** Ways to a process, or to a module, that no import shows. */
const BACK_DOORS = new Set(['execve', 'dlopen', '_linkedBinding', 'getBuiltinModule', 'createRequire'])

export function checkStarters(file: Parsed): string[] {
  if (file.path in STARTERS) return []
  const imports = file.imports
    .filter(({ from, isType }) => !isType && STARTING_MODULES.test(from))
    .map(({ from, line }) => `${file.path}:${line}: starts programs by itself (${from})`)
  const doors = file.words
    .filter(({ kind, text }) => kind === 'identifier' && BACK_DOORS.has(text))
    .map(({ text, line }) => `${file.path}:${line}: ${text} goes around the rule that one place starts programs`)
  return [...imports, ...doors]
}

export function checkWritten(file: Parsed): string[] {
  if (file.path in WRITTEN) return []
  return file.imports
    .filter(
      ({ from, names }) => from === 'src/model/program.ts' && names.some(name => name === 'written' || name === '*'),
    )
    .map(
      ({ line }) =>
        `${file.path}:${line}: lets somebody else write options; say in test/rules/programs.ts whose they are`,
    )
}

/** "rethread check --json " and what a template puts behind it. */
const COMMAND =
  /(?:^|[\s`(:])(?:rethread (?:list|show|check|repairs?|resume|undo|sanitize|trash(?: \w+)?|agents|serve|server|acp|opencode|demo)|jp [a-z]+(?: [a-z]+)?|npm install --global)(?: --?[\w-]+(?:=\S+)?)* $/
/** Quoted already, or a name of ours. */
const QUOTED = /^(?:quote|quoteWord|paste)\(/
const OURS = new Set([
  'AGENT',
  'displayId(id)',
  "names[0] ?? 'mock'",
  'host',
  'dir',
  "options.salvage ? '--salvage ' : ''",
])

/** A command for pasting is made by `paste`, or has its paths quoted. */
export function checkPasted({ path, templates }: Parsed): string[] {
  return templates
    .filter(({ before, value }) => COMMAND.test(before) && !QUOTED.test(value) && !OURS.has(value))
    .map(({ value, line }) => `${path}:${line}: puts ${value} into a command as it is`)
}
