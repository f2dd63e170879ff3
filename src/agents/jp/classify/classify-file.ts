// Classifies one file of a conversation. Only a regular file is opened, and it is read once. Changes nothing.
import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import { OPEN_BRACE } from '../../../bytes/ascii.ts'
import { skipSpaces } from '../../../bytes/text.ts'
import { entryAt, type FileEntry, type PlainFile, withPlainFile } from '../../../disk/files/plain-file.ts'
import { assertInside, realPath } from '../../../disk/files/read.ts'
import { hasErrorCode, RethreadError } from '../../../model/errors.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { type Member, membersOf } from '../json-spans.ts'
import type { ManagedFile } from '../names.ts'
import { BASE_CONFIG, EVENTS, INIT_CONFIG, METADATA } from '../names.ts'
import type { Mismatch } from '../schema/check.ts'
import { checkShape, mismatch } from '../schema/check.ts'
import { EVENT_SHAPES, isKnownType, METADATA_SHAPE, VALIDATED_EVENT } from '../schema/conversation.ts'
import { parseExact } from '../schema/exact.ts'
import { checkBase, checkInit, checkWithDeltas } from '../schema/resolve.ts'
import { TEXT } from '../schema/shape.ts'
import type { ArrayElement, ArrayEnd, ArrayItem } from '../store/event-file.ts'
import { readArray } from '../store/event-file.ts'
import { readEvents } from '../store/proved-events.ts'
import { scanJson } from './scan-json.ts'
import type { Condition, FileMark, FileState, JsonScanned, ShapeFault } from './state.ts'
import { conditionOf } from './state.ts'

/** JP reads a file at once, so it cannot use larger ones. */
const MAX_EVENTS_BYTES = 512 * 1024 * 1024
/** A hundred times the usual size. */
export const MAX_CONFIG_BYTES = 32 * 1024 * 1024

export interface ClassifiedFile {
  state: FileState
  /** The content of a healthy small file; undefined for the events, which are never held in memory. */
  value?: unknown
  events?: EventsFacts
}

/** `name` is the name of the file if it is not its own. */
export function classifyFile(folder: string, root: string, file: ManagedFile, name: string = file): ClassifiedFile {
  const path = join(folder, name)
  try {
    const entry = entryAt(path)
    const mark = entry.type === 'missing' ? {} : { mark: markOf(entry.stats) }
    const { condition, ...rest } = classifyEntry(path, root, file, entry)
    const link = entry.type === 'link' ? { linkTarget: entry.target } : {}
    return { state: { file, path, condition, ...link, ...mark }, ...rest }
  } catch (error) {
    return { state: { file, path, condition: blocked(error) } }
  }
}

function markOf(stats: BigIntStats): FileMark {
  return {
    device: String(stats.dev),
    inode: String(stats.ino),
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    mode: Number(stats.mode) & 0o7777,
  }
}

type Classification = Omit<ClassifiedFile, 'state'> & { condition: Condition }

function classifyEntry(path: string, root: string, file: ManagedFile, entry: FileEntry): Classification {
  switch (entry.type) {
    case 'missing':
      return { condition: { type: 'missing' } }
    case 'folder':
      return { condition: { type: 'is-a-directory' } }
    case 'other':
      return { condition: { type: 'not-a-regular-file', kind: entry.kind } }
    case 'link':
      return followLink(path, root, file, entry.target)
    case 'file':
      return classifyBytes(path, file, entry.stats)
  }
}

/**
 * Follows a link, as JP does. What is healthy outside the storage is read and left as it is; anything else
 * there is neither salvaged nor changed.
 */
function followLink(path: string, root: string, file: ManagedFile, target: string): Classification {
  let real: string
  try {
    real = realPath(path)
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return { condition: { type: 'link-dangling', target } }
    throw error
  }
  const found = classifyEntry(real, dirname(real), file, entryAt(real))
  if (found.condition.type === 'healthy') return found
  if (!isInside(path, root)) return { condition: { type: 'link-outside', target, real } }
  if (found.condition.type === 'blocked') return found
  return { ...found, condition: { type: 'link-to-bad', target, found: found.condition } }
}

function classifyBytes(path: string, file: ManagedFile, stats: BigIntStats): Classification {
  const limit = file === EVENTS ? MAX_EVENTS_BYTES : MAX_CONFIG_BYTES
  if (Number(stats.size) > limit) return { condition: { type: 'too-large', limit } }
  return withPlainFile(path, stats, (opened): Classification => {
    switch (file) {
      case EVENTS:
        return classifyItems(readEvents({ path, ...opened }))
      case METADATA:
        return classifySmall(opened, checkMetadata, scanMetadata)
      case BASE_CONFIG:
        return classifySmall(opened, checkBase)
      case INIT_CONFIG:
        return classifySmall(opened, checkInit)
    }
  })
}

/** JP's validator accepts any JSON in these files. Only its loader checks the content. */
function classifySmall(
  file: PlainFile,
  check: (value: unknown, bytes: Buffer) => Mismatch[],
  scan: (bytes: Buffer) => JsonScanned = scanJson,
): Classification {
  const bytes = file.all()
  const broken = conditionOf(scan(bytes))
  if (broken !== undefined) return { condition: broken }
  const value = parseExact(bytes)
  return { condition: conditionFor(check(value, bytes)), value }
}

function conditionFor(wrong: readonly Mismatch[]): Condition {
  const faults = wrong.map(({ path, text }) => ({ path, text, isSeenByValidator: false }))
  return faults.length === 0 ? { type: 'healthy' } : { type: 'wrong-shape', faults, more: 0 }
}

/** A base config that loads on its own may lack what a delta in the events builds on. */
export function withDeltas(file: ClassifiedFile, events: EventsFacts | undefined): ClassifiedFile {
  if (file.state.condition.type !== 'healthy' || events === undefined) return file
  const wrong = checkWithDeltas(file.value, events.deltas)
  return { ...file, state: { ...file.state, condition: conditionFor(wrong) } }
}

/** JP skips the values of members that it does not know, and with them the errors in single values. */
function scanMetadata(bytes: Buffer): JsonScanned {
  const scanned = scanJson(bytes)
  const open = skipSpaces(bytes, 0)
  if (scanned.fault !== undefined || scanned.soft.length === 0 || bytes[open] !== OPEN_BRACE) return scanned
  const { members } = membersOf(bytes, open)
  const skipped = members.filter(({ key }) => !Object.hasOwn(METADATA_SHAPE.fields, key)).map(({ value }) => value)
  const read = Buffer.from(bytes)
  // Spaces keep every offset as it is. The first byte stays a value.
  for (const { start, end } of skipped) read.fill(' ', start, end).write('0', start)
  return scanJson(read)
}

/**
 * JP reads the file itself, not a parsed value. So it checks each member, even if another one has its name.
 */
function checkMetadata(value: unknown, bytes: Buffer): Mismatch[] {
  const wrong = checkShape(METADATA_SHAPE, value)
  const open = skipSpaces(bytes, 0)
  if (bytes[open] !== OPEN_BRACE) return wrong
  const { members } = membersOf(bytes, open)
  const names = members.map(({ key }) => key)
  const twice = Object.keys(METADATA_SHAPE.fields).find(name => names.indexOf(name) !== names.lastIndexOf(name))
  const hidden = members.filter(({ key }) => key === 'labels').flatMap(member => hiddenIn(bytes, member))
  return [...wrong, ...(twice === undefined ? [] : [mismatch([twice], 'is there twice')]), ...hidden]
}

/** The mismatches of members that are followed by another one of the same name. */
function hiddenIn(bytes: Buffer, { key: holder, value: { start } }: Member): Mismatch[] {
  if (bytes[start] !== OPEN_BRACE) return []
  const { members } = membersOf(bytes, start)
  return members
    .filter(({ key }, index) => members.findLastIndex(other => other.key === key) !== index)
    .filter(({ value }) => checkShape(TEXT, parseExact(bytes.subarray(value.start, value.end))).length > 0)
    .map(({ key }) => mismatch([holder, key], 'is there twice, and one of them is not a string'))
}

function blocked(error: unknown): Condition {
  if (!(error instanceof RethreadError)) throw error
  return { type: 'blocked', code: error.code, text: error.message, hint: error.hint }
}

/** Further faults are only counted. */
const MAX_SHAPE_FAULTS = 100

/** Facts that are collected while the events are checked. */
export interface EventsFacts {
  /**
   * The first event: the base config in the layout without base_config.json, or `inline-config` in an older
   * one.
   */
  first: 'nothing' | 'config-delta' | 'inline-config' | 'other'
  /** The changes of the config, in their order. In the oldest layout the first is the base. */
  deltas: unknown[]
  /** Why the config in the first event is not usable as a base; undefined if it is. */
  firstFault: string | undefined
}

export function classifyEvents(chunks: Iterable<Buffer>): { condition: Condition; events: EventsFacts } {
  return classifyItems(readArray(chunks))
}

function classifyItems(reading: Generator<ArrayItem, ArrayEnd, void>): { condition: Condition; events: EventsFacts } {
  const notes = new EventChecks()
  let step = reading.next()
  for (; !step.done; step = reading.next()) notes.take(step.value)
  return notes.end(step.value)
}

/**
 * For a caller that reads the events for another purpose: it passes each element to `take` and calls `end`
 * once.
 */
export class EventChecks {
  readonly #faults: ShapeFault[] = []
  #more = 0
  #first: EventsFacts['first'] = 'nothing'
  readonly #deltas: unknown[] = []

  take(item: ArrayItem): void {
    if (item.type === 'junk') return
    const { index, value } = item
    if (index === 0) this.#noteFirst(value)
    const event = asObject(value)
    const type = event?.['type']
    if (event !== undefined && type === 'config_delta' && 'delta' in event) this.#deltas.push(event['delta'])
    const wrong = checkEvent(value)
    if (wrong.length > 0) this.#noteFaults(item, wrong)
  }

  #noteFaults({ index, value, start, end }: ArrayElement, wrong: readonly Mismatch[]): void {
    const isSeenByValidator = checkShape(VALIDATED_EVENT, value).length > 0
    const element = { index, start, end }
    for (const { path, text } of wrong) {
      const full = path === '' ? `[${index}]` : `[${index}].${path}`
      if (this.#faults.length === MAX_SHAPE_FAULTS) this.#more++
      else this.#faults.push({ path: full, text, element, isSeenByValidator })
    }
  }

  get hasFaults(): boolean {
    return this.#faults.length > 0
  }

  end({ scanned, isArray }: Pick<ArrayEnd, 'scanned' | 'isArray'>): { condition: Condition; events: EventsFacts } {
    const [base, ...rest] = this.#deltas
    const [wrong] = this.#first === 'config-delta' ? checkWithDeltas(base, rest) : []
    const firstFault = wrong && `${wrong.path} ${wrong.text}`.trim()
    const deltas = this.#deltas
    const events = { first: this.#first, deltas, firstFault }
    const broken = conditionOf(scanned)
    // Errors in values do not matter if the validator already refuses the document.
    if (!isArray && scanned.fault === undefined && !scanned.isBlank) return { condition: notAnArray(), events }
    // The validator skips the values of an event, and with them the errors in single values.
    const isRefused = scanned.fault === undefined && this.#faults.some(({ isSeenByValidator }) => isSeenByValidator)
    if (broken !== undefined && !isRefused) return { condition: broken, events }
    const condition: Condition =
      this.#faults.length === 0 ? { type: 'healthy' } : { type: 'wrong-shape', faults: this.#faults, more: this.#more }
    return { condition, events }
  }

  #noteFirst(value: unknown): void {
    const event = asObject(value)
    if (event?.['type'] !== 'config_delta') this.#first = 'other'
    else if (!('delta' in event)) this.#first = 'inline-config'
    else this.#first = 'config-delta'
  }
}

/** Reports the faults that JP's validator finds, or else those that its loader finds. */
export function checkEvent(value: unknown): Mismatch[] {
  const event = asObject(value)
  const seen = event !== undefined && hasAll(event, VALIDATED_EVENT.needed) ? [] : checkShape(VALIDATED_EVENT, value)
  const type = event?.['type']
  // An event that is a list counts as one of an unknown type.
  if (seen.length > 0 || typeof type !== 'string' || !isKnownType(type)) return seen
  return checkShape(EVENT_SHAPES[type] ?? VALIDATED_EVENT, value)
}

function hasAll(event: Json, names: readonly string[]): boolean {
  return names.every(name => Object.hasOwn(event, name))
}

function notAnArray(): Condition {
  const fault = { path: '', text: 'should be an array of events', isSeenByValidator: true }
  return { type: 'wrong-shape', faults: [fault], more: 0 }
}

function isInside(path: string, root: string): boolean {
  try {
    assertInside(path, root)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'outside-store')) return false
    throw error
  }
}

interface ReadOptions {
  path: string
  /** A link out of the root is only followed to a file that was found healthy. */
  condition?: Condition
  /** The expected file. If absent, any file is read. */
  mark?: FileMark
}

/**
 * Reads a file that was classified before. Returns undefined if it is not a regular file or has changed.
 */
export function readUnchanged({ path, mark, condition }: ReadOptions, root: string): Buffer | undefined {
  const entry = entryAt(path)
  if (entry.type === 'missing' || !isSame(entry.stats, mark)) return undefined
  if (entry.type === 'file') return withPlainFile(path, entry.stats, file => file.all())
  if (entry.type !== 'link') return undefined
  try {
    if (condition?.type !== 'healthy' && !isInside(path, root)) return undefined
    const real = realPath(path)
    const target = entryAt(real)
    return target.type === 'file' ? withPlainFile(real, target.stats, file => file.all()) : undefined
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return undefined
    throw error
  }
}

function isSame(
  stats: { ino: bigint; dev: bigint; size: bigint; mtimeNs: bigint },
  mark: FileMark | undefined,
): boolean {
  if (mark === undefined) return true
  return (
    String(stats.ino) === mark.inode &&
    String(stats.dev) === mark.device &&
    Number(stats.size) === mark.size &&
    stats.mtimeNs === mark.mtimeNs
  )
}
