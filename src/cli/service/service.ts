// What a service manager of the operating system needs to know to keep the archive up to date.
import type { Environment } from '../../agents/environment.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Program } from '../../model/program.ts'

export const MARK = 'Made by "rethread service install". Remove it with "rethread service uninstall".'

export interface Service {
  /** The absolute path of Node. */
  program: string
  /** The script and its options. None of them is read by a shell. */
  args: readonly string[]
  /** Variables of this process that say where agents keep their sessions. */
  variables: readonly (readonly [name: string, value: string])[]
  /** Where output goes, for a manager that has no log of its own. */
  logFile: string
  /** The account, for a manager that needs its name. */
  user: string
}

/** The service manager of one operating system. */
export interface ServiceManager {
  title: string
  /** The command that it is controlled with. */
  command: string
  /** The file that describes the service. */
  file(environment: Environment): string
  logFile(environment: Environment): string
  /** Throws `unsafe-argument` for a path that the format cannot hold. */
  text(service: Service): string
  /** How the text is stored in the file. */
  encoding?: 'utf16'
  start(account: Account): Program[]
  /** Also where it is not running. */
  stop(account: Account): Program[]
  /** After the file was removed. */
  forget?: Program
  /** Succeeds where the service runs, and prints what `running` finds. */
  query(account: Account): Program
  running: RegExp
  /** How a person sees its log. */
  log(service: Pick<Service, 'logFile'>): string
}

export interface Account {
  file: string
  /** The number of the user, where the system has one. */
  uid: number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are matched
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/

/** A line break, or another character that could end a value, is refused in every format. */
export function requirePlain(service: Service): void {
  const words = [service.program, service.logFile, service.user, ...service.args, ...service.variables.flat()]
  const bad = words.find(word => CONTROL.test(word) || !word.isWellFormed())
  if (bad !== undefined) throw cannotHold(bad, 'a control character')
}

export function cannotHold(value: string, what: string): RethreadError {
  return new RethreadError({
    code: 'unsafe-argument',
    text: `${JSON.stringify(value)} has ${what}, which the description of a service cannot hold. Nothing was installed.`,
    hint: 'Rename the folder, or run it yourself: rethread archive --watch',
  })
}

export function escapeXml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
  return text.replaceAll(/[&<>"']/g, character => names[character] ?? character)
}
