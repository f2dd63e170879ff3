// Command lines for a person to paste: quoted for the shell, and without values that a program could read as
// options.
import { RethreadError } from './errors.ts'
import type { Program } from './program.ts'

/** A prefix identifies a session, so a longer id is cut. */
const MAX_ID_CHARACTERS = 300
/** `~` and `=` are special to a shell at the start of a word. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./~-]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are matched
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/
const CONTROLS = new RegExp(CONTROL, 'g')

/**
 * One word for a POSIX shell. Unprintable characters become the escapes that bash, zsh and ksh understand.
 */
export function quoteWord(text: string): string {
  if (PLAIN.test(text)) return text
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(CONTROLS, escapeControl)}'`
}

/** A path, also for programs that do not support `--`. */
export function quote(path: string): string {
  return quoteWord(path.startsWith('-') ? `./${path}` : path)
}

/** A text in an SQL statement. The statement as a whole is quoted for the shell. */
export function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * A rethread command followed by ids from data. `command` is a constant of the source, with all its options.
 */
export function paste(command: string, ...ids: readonly string[]): string {
  const named = ids.map(id => (id.length > MAX_ID_CHARACTERS ? id.slice(0, MAX_ID_CHARACTERS).toWellFormed() : id))
  const isOption = named.some(id => id.startsWith('-'))
  return [command, ...(isOption ? ['--'] : []), ...named.map(quoteWord)].join(' ')
}

/**
 * The command line as a person would type it. On Windows it is for cmd.exe, which cannot quote some
 * characters: then it throws.
 */
export function lineOf({ command, args }: Program, folder?: string, platform: string = 'linux'): string {
  const isWindows = platform === 'win32'
  const line = [command, ...args].map(isWindows ? quoteForCmd : quoteWord).join(' ')
  if (folder === undefined) return line
  return isWindows ? `cd /d ${quoteForCmd(folder)} && ${line}` : `cd ${quote(folder)} && ${line}`
}

const PLAIN_FOR_CMD = /^[\w@+:,./\\~-][\w@+=:,./\\~-]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are matched
const MEANS_SOMETHING_TO_CMD = /["%!^\u0000-\u001f\u007f]/

function quoteForCmd(word: string): string {
  if (PLAIN_FOR_CMD.test(word)) return word
  if (!MEANS_SOMETHING_TO_CMD.test(word)) return `"${word}"`
  throw new RethreadError({
    code: 'unsafe-argument',
    text: 'The command cannot be written for cmd.exe: a word in it has a character that cannot be quoted there.',
    hint: 'Start it from rethread itself: rethread resume, without --print',
  })
}

function escapeControl(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
