// The only place that builds command lines. A word is a constant of the source or a value. A value never
// becomes an option.
import { RethreadError } from './errors.ts'

declare const made: unique symbol
declare const found: unique symbol

/** A command line that may be started or printed. Only `program` creates one. */
export interface Program {
  readonly [made]: true
  readonly command: string
  readonly args: readonly string[]
}

/** A program by the absolute path at which it was found. Nothing is searched in the folder it starts in. */
export interface FoundProgram extends Program {
  readonly [found]: true
}

/** One argument that comes from data: an id, a folder, a model, a setting. */
export interface Value {
  readonly type: 'id' | 'path' | 'text'
  readonly value: string
}

/**
 * Arguments, including options, that a person or a program with the person's rights has written as a whole.
 */
export interface Written {
  readonly type: 'written'
  readonly words: readonly string[]
}

/** The arguments of a program, in order. Only `words` creates them. */
export interface Words {
  readonly [made]: true
  readonly list: readonly Word[]
}

type Word = string | Value | Written | Words

/** A session's id. Its store declares the form. */
export function idValue(value: string): Value {
  return { type: 'id', value }
}

/** An absolute path, which no program reads as an option or as an editor command (`+…`). */
export function pathValue(value: string): Value {
  return { type: 'path', value }
}

export function textValue(value: string): Value {
  return { type: 'text', value }
}

/**
 * Only for complete command lines from outside: the configuration file, `$EDITOR`, the arguments after `--`.
 */
export function written(list: readonly string[]): Written {
  return { type: 'written', words: list }
}

/** `never` for a string that is not a constant of the source, so that it does not compile. */
type Checked<Word> = Word extends string ? (string extends Word ? never : Word) : Word

export function words<const List extends readonly Word[]>(
  ...list: { [Index in keyof List]: Checked<List[Index]> }
): Words {
  return { list } as unknown as Words
}

/** The limit of Windows for a whole command line. The limit of Linux for one argument is higher. */
const MAX_CHARACTERS = 32_767
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/

/** Throws `unsafe-argument` for a value that could be read as something else. */
export function program(command: string, { list }: Words): Program {
  refuseUnsafe('program', command)
  return { command, args: list.flatMap(argumentsOf) } as unknown as Program
}

function argumentsOf(word: Word): readonly string[] {
  if (typeof word === 'string') return [word]
  if ('list' in word) return word.list.flatMap(argumentsOf)
  return word.type === 'written' ? word.words.map(refuseUnusable) : [refuseUnsafe(word.type, word.value)]
}

/** Only for `locateProgram`, which has found it. `before` are arguments of the interpreter that starts it. */
export function foundAt({ args }: Program, path: string, before: readonly string[] = []): FoundProgram {
  return { command: refuseUnsafe('path', path), args: [...before, ...args] } as unknown as FoundProgram
}

/** The session ids among the arguments. */
export function idsIn({ list }: Words): string[] {
  const ids: string[] = []
  for (const word of list) {
    if (typeof word === 'string') continue
    if ('list' in word) ids.push(...idsIn(word))
    else if (word.type === 'id') ids.push(word.value)
  }
  return ids
}

/** Whether the text may be in a command line as a value. */
export function isSafeValue(type: Value['type'], value: string): boolean {
  return faultOf(type, value) === undefined
}

const WHAT = { id: 'session id', path: 'path', text: 'value', program: 'program' }

function refuseUnsafe(type: keyof typeof WHAT, value: string): string {
  const fault = faultOf(type, value)
  if (fault !== undefined) throw unsafe(`The ${WHAT[type]} ${fault}`)
  return value
}

function refuseUnusable(word: string): string {
  const fault = unusableFor(word)
  if (fault !== undefined) throw unsafe(`An argument ${fault}`)
  return word
}

function faultOf(type: keyof typeof WHAT, value: string): string | undefined {
  if (value === '') return 'is empty'
  if (value.startsWith('-')) return 'begins with a hyphen, so a program would take it for an option'
  if (type === 'path' && !ABSOLUTE.test(value)) return 'is not absolute'
  return unusableFor(value)
}

/** Why no operating system passes the word on unchanged. */
function unusableFor(word: string): string | undefined {
  if (word.includes('\0')) return 'contains a NUL'
  if (word.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS} characters`
  return word.isWellFormed() ? undefined : 'is not well-formed Unicode'
}

function unsafe(what: string): RethreadError {
  return new RethreadError({
    code: 'unsafe-argument',
    text: `${what}. Nothing was started.`,
    hint: 'Rename the session, the folder or the setting it comes from. See where sessions are: rethread list --json',
  })
}
