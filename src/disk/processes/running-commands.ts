// The programs that run on this machine with their arguments, to see whether an agent is running.
import { readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { program, words } from '../../model/program.ts'
import { systemCode } from '../files/system-errors.ts'
import { listProcesses } from './process-family.ts'
import { readProc } from './process-identity.ts'
import { locateProgram, runProgram } from './start-program.ts'

export interface RunningCommand {
  pid: number
  /** The program and its arguments. */
  words: string[]
  /** Undefined where this system does not show it. */
  folder?: string
}

/** The environment of a process can be large, and the relevant variables may be anywhere in it. */
const MAX_ENVIRONMENT_BYTES = 4 * 1024 * 1024

const MAX_COMMAND_BYTES = 4096
const PS_TIMEOUT_MS = 2000
const NOT_SHOWN = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EINVAL'])
/** Programs that run a script. The script then tells which agent it is. */
const INTERPRETERS = /^(?:node|nodejs|bun|deno|electron|python[\d.]*|ruby|perl|sh|bash|dash|zsh|env)(?:\.exe)?$/i
/** After the name of an agent: a suffix for a platform, a package or a file. */
const NAME_ENDS = /^[-_.@]/
/** An option of the interpreter may have a value before the script. */
const SCRIPT_WORDS = 2

/** All processes except this one. Undefined where this system does not show them. */
export function listRunningCommands(): RunningCommand[] | undefined {
  const all = process.platform === 'linux' ? listByProc() : listByPs()
  return all?.filter(({ pid }) => pid !== process.pid)
}

/**
 * Whether it is a program called `name`, or a script of that name in an interpreter, such as `node
 * …/name/cli.js`.
 */
export function isCommandOf({ words }: Pick<RunningCommand, 'words'>, names: readonly string[]): boolean {
  const [program = '', ...others] = words
  const isInterpreter = INTERPRETERS.test(program.split(/[/\\]/).at(-1) ?? '')
  const scripts = isInterpreter ? others.filter(word => !word.startsWith('-')).slice(0, SCRIPT_WORDS) : []
  const parts = [program, ...scripts].flatMap(path => path.toLowerCase().split(/[/\\]/))
  return names.some(name => parts.some(part => part === name || isNamed(part, name)))
}

function isNamed(part: string, name: string): boolean {
  return part.startsWith(name) && NAME_ENDS.test(part.slice(name.length))
}

/** The environment at the start of the process; undefined where this system does not show it. */
export function environmentOf(pid: number): Map<string, string> | undefined {
  const bytes = process.platform === 'linux' ? readProc(`/proc/${pid}/environ`, MAX_ENVIRONMENT_BYTES) : undefined
  if (bytes === undefined || bytes.length === 0) return undefined
  const pairs = bytes.toString('utf8').split('\0').filter(Boolean)
  return new Map(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

function listByProc(): RunningCommand[] | undefined {
  return listProcesses()?.flatMap(pid => {
    // Empty for ended processes that wait for their parent, and for kernel threads.
    const bytes = readProc(`/proc/${pid}/cmdline`, MAX_COMMAND_BYTES)
    if (bytes === undefined || bytes.length === 0) return []
    const folder = folderOf(pid)
    const words = bytes.toString('utf8').split('\0').filter(Boolean)
    return [{ pid: Number(pid), words, ...(folder === undefined ? {} : { folder }) }]
  })
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch (error) {
    if (NOT_SHOWN.has(systemCode(error))) return undefined
    throw error
  }
}

/** For systems without /proc. Windows has no `ps` and shows nothing. */
export function listByPs(): RunningCommand[] | undefined {
  const ps = locateProgram(program('ps', words('-A', '-ww', '-o', 'pid=,args=')), tmpdir(), process.env)
  if (ps === undefined) return undefined
  const { stdout, status } = runProgram(ps, { timeout: PS_TIMEOUT_MS })
  if (status !== 0) return undefined
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap(line => {
      const [pid = '', ...words] = line.trim().split(/\s+/)
      return words.length === 0 ? [] : [{ pid: Number(pid), words }]
    })
}
