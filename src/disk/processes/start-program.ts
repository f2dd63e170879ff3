// Every program that rethread starts is started here: by its absolute path, in an existing folder, and never
// through a shell.
import {
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type SpawnSyncOptions,
  type SpawnSyncReturns,
  spawn,
  spawnSync,
} from 'node:child_process'
import { isAbsolute } from 'node:path'
import type { Writable } from 'node:stream'
import { RethreadError } from '../../model/errors.ts'
import { type FoundProgram, foundAt, isSafeValue, type Program } from '../../model/program.ts'
import { requireFolder as requireWorkingFolder } from '../files/named-folder.ts'
import { findCommand, type Variables } from './find-command.ts'

/** `folder` is the working folder. Default: the current folder of rethread. */
export type StartOptions = { folder?: string } & Pick<
  SpawnOptions,
  'env' | 'stdio' | 'detached' | 'timeout' | 'killSignal' | 'signal'
>
export type RunOptions = { folder?: string } & Pick<SpawnSyncOptions, 'env' | 'stdio' | 'timeout' | 'maxBuffer'>

/** Characters that cmd.exe would not take as part of an argument. */
const SPECIAL_TO_CMD = /[&|<>^%"!\r\n]/

/** Undefined where it is not installed. `folder` is the base of a relative path. */
export function locateProgram(program: Program, folder: string, variables: Variables): FoundProgram | undefined {
  const path = findCommand(program.command, folder, variables)
  if (path === undefined) return undefined
  return process.platform === 'win32' && /\.(cmd|bat)$/i.test(path)
    ? throughCmd(program, path, variables)
    : foundAt(program, path)
}

export function startProgram(program: FoundProgram, options: StartOptions = {}): ChildProcess {
  return spawn(program.command, program.args, inFolder(options))
}

/** With pipes for its input and output. */
export function startPiped(
  program: FoundProgram,
  options: Omit<StartOptions, 'stdio'> = {},
): ChildProcessWithoutNullStreams {
  return spawn(program.command, program.args, { ...inFolder(options), stdio: 'pipe' })
}

/** Waits until it ends. */
export function runProgram(program: FoundProgram, options: RunOptions = {}): SpawnSyncReturns<Buffer> {
  return spawnSync(program.command, program.args, { ...inFolder(options), encoding: 'buffer' })
}

/** The only line that a shell gets: `$PAGER`, which is a shell command by definition. It contains no data. */
export function startPager(line: string, env: NodeJS.ProcessEnv): ChildProcessByStdio<Writable, null, null> {
  return spawn(line, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
}

/** Throws where a program could not be started in it. */
export function requireStartFolder(folder: string): void {
  if (!isAbsolute(folder) || !isSafeValue('path', folder))
    throw new RethreadError({
      code: 'unsafe-argument',
      text: 'The folder is not an absolute path that a program could be started in.',
      hint: 'Start it by hand in the folder that is meant.',
    })
  requireWorkingFolder(folder)
}

function inFolder<Options extends { folder?: string }>({ folder, ...options }: Options) {
  if (folder === undefined) return options
  requireStartFolder(folder)
  return { ...options, cwd: folder }
}

/** Windows does not start scripts without cmd.exe. */
function throughCmd(program: Program, script: string, variables: Variables): FoundProgram {
  const unsafe = [script, ...program.args].find(word => SPECIAL_TO_CMD.test(word))
  if (unsafe !== undefined)
    throw new RethreadError({
      code: 'unsafe-argument',
      text: `The argument ${unsafe} cannot be passed to a script safely.`,
      hint: `Start it by hand: ${script}`,
      path: script,
    })
  return foundAt(program, variables['ComSpec'] ?? 'C:\\Windows\\System32\\cmd.exe', ['/d', '/c', script])
}
