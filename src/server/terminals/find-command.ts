// Looks for the program and the folder before anything is started: a PTY would only show a screen that ends at once.
import { isAbsolute } from 'node:path'
import { quote } from '../../disk/errors.ts'
import { findCommand } from '../../disk/find-command.ts'
import { statIfThere } from '../../disk/handles.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Program, Variables } from './environment.ts'

/** What cmd.exe would take for something else than a part of an argument. */
const MEANS_SOMETHING_TO_CMD = /[&|<>^%"!\r\n]/

/** The program by its whole path. */
export function findProgram({ command, args }: Program, folder: string, variables: Variables): Program {
  const found = findCommand(command, folder, variables)
  if (found === undefined) throw notInstalled(command)
  return process.platform === 'win32' && /\.(cmd|bat)$/i.test(found)
    ? throughCmd(found, args, variables)
    : { command: found, args }
}

export function isFolder(path: string): boolean {
  return statIfThere(path, 'stat')?.isDirectory() ?? false
}

export function requireFolder(folder: string): void {
  if (isAbsolute(folder) && isFolder(folder)) return
  throw new RethreadError({
    code: 'not-found',
    text: `${folder} is not there, or is no folder.`,
    hint: `Make it again, and an agent finds its session there: mkdir -p ${quote(folder)}`,
    path: folder,
  })
}

/** Windows starts no script by itself. */
function throughCmd(script: string, args: string[], variables: Variables): Program {
  const unsafe = args.find(arg => MEANS_SOMETHING_TO_CMD.test(arg))
  if (unsafe !== undefined)
    throw new RethreadError({
      code: 'unsupported',
      text: `The argument ${unsafe} cannot be handed to a script safely.`,
      hint: `Start it yourself: ${script}`,
      path: script,
    })
  return { command: variables['ComSpec'] ?? 'cmd.exe', args: ['/d', '/c', script, ...args] }
}

function notInstalled(command: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${command} is not installed, or not on the PATH.`,
    hint: `See whether it is there: which ${quote(command)}`,
  })
}
