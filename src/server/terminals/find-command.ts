// Looks for the program and the folder before anything is started: a PTY would only show a screen that ends at once.
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { quote } from '../../disk/errors.ts'
import { statIfThere } from '../../disk/handles.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Program, Variables } from './environment.ts'

const EXECUTABLE = 0o111n
/** What cmd.exe would take for something else than a part of an argument. */
const MEANS_SOMETHING_TO_CMD = /[&|<>^%"!\r\n]/

/** The program by its whole path. */
export function findProgram({ command, args }: Program, folder: string, variables: Variables): Program {
  const found = candidatesOf(command, folder, variables).find(isExecutable)
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

function candidatesOf(command: string, folder: string, variables: Variables): string[] {
  const isPath = /[/\\]/.test(command)
  // An empty part of the PATH means the current folder, and nobody's session folder is trusted with programs.
  const places = isPath ? [''] : pathOf(variables).split(delimiter).filter(isAbsolute)
  return places.flatMap(place =>
    endings(variables).map(ending => (isPath ? resolve(folder, command) : join(place, command)) + ending),
  )
}

function pathOf(variables: Variables): string {
  const name = Object.keys(variables).find(candidate => candidate.toUpperCase() === 'PATH')
  return (name === undefined ? undefined : variables[name]) ?? ''
}

function endings(variables: Variables): string[] {
  if (process.platform !== 'win32') return ['']
  return ['', ...(variables['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';')]
}

function isExecutable(path: string): boolean {
  const stats = statIfThere(path, 'stat')
  return stats?.isFile() === true && (process.platform === 'win32' || (stats.mode & EXECUTABLE) !== 0n)
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
