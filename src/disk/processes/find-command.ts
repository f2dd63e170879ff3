// Finds a program as a shell would, before anything is started.
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { hasErrorCode } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'

export type Variables = Record<string, string | undefined>

const EXECUTABLE = 0o111n

/** The absolute path of the program, or undefined. `folder` is the base of a relative path. */
export function findCommand(command: string, folder: string, variables: Variables): string | undefined {
  return candidatesOf(command, folder, variables).find(isExecutable)
}

/** A file that would be the program, if it were executable. */
export function findNotExecutable(command: string, folder: string, variables: Variables): string | undefined {
  return candidatesOf(command, folder, variables).find(path => statOf(path)?.isFile() === true && !isExecutable(path))
}

function candidatesOf(command: string, folder: string, variables: Variables): string[] {
  const isPath = /[/\\]/.test(command)
  // An empty part of the PATH means the current folder. A session folder must not supply programs.
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
  const stats = statOf(path)
  return stats?.isFile() === true && (process.platform === 'win32' || (stats.mode & EXECUTABLE) !== 0n)
}

function statOf(path: string) {
  try {
    return statIfThere(path, 'stat')
  } catch (error) {
    // A program in an inaccessible folder could not be started anyway.
    if (hasErrorCode(error, 'permission-denied')) return undefined
    throw error
  }
}
