// A tree of files as it would be after the changes planned so far. Nothing is written; files are read on
// access.
import type { ParsedTreeFile, TreeFile, TreeRepair } from '../../agents/repair.ts'
import { Pieces } from '../../bytes/edits.ts'
import { parseObject } from '../../bytes/json.ts'
import { readSmallFile } from '../../disk/files/read.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import type { ByteEdit, Change, RemoveFile, WriteFile } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'

/** JavaScript strings are limited to 512 MiB. One part may hold a whole attached file. */
const MAX_FILE_BYTES = 256 * 1024 * 1024
/** Parsed files are cached up to this size. Most sessions are small and are examined several times. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024

type Edited = WriteFile | RemoveFile | { type: 'patch'; file: string; pieces: Pieces<ByteEdit>; original: Buffer }

export class TreeView {
  readonly #session: SessionRef
  readonly #repair: TreeRepair
  readonly #edited = new Map<string, Edited>()
  #cached = new Map<string, Content>()
  #cachedBytes = 0

  constructor(session: SessionRef, repair: TreeRepair) {
    this.#session = session
    this.#repair = repair
  }

  files(): ParsedTreeFile[] {
    const listed = this.#repair.files(this.#session).filter(({ file }) => this.#edited.get(file)?.type !== 'remove')
    const known = new Set(listed.map(({ file }) => file))
    // Only the session's own file can be rewritten without having existed.
    const added = [...this.#edited.values()].filter(({ type, file }) => type === 'write' && !known.has(file))
    const roots = added.map(({ file }): TreeFile => ({ file, role: 'session', id: this.#session.sessionId }))
    return [...roots, ...listed].map(file => new LazyFile(file, path => this.#content(path)))
  }

  /**
   * Applies the changes that can be applied together. Of several for one file, the first is applied; the
   * others were planned without it.
   */
  make(changes: readonly Change[]): number {
    const done = new Set<string>()
    for (const change of changes) {
      if (done.has(change.file)) continue
      done.add(change.file)
      this.#make(change)
    }
    this.#cached = new Map()
    this.#cachedBytes = 0
    return done.size
  }

  /** All applied changes, in byte offsets of the files as they are. */
  changes(): Change[] {
    return [...this.#edited.values()].map((edited): Change => {
      if (edited.type !== 'patch') return edited
      const edits = edited.pieces.changes().map(({ start, end, bytes, edits: led }): ByteEdit => {
        const reason = [...new Set(led.map(edit => edit.reason))].join('; ')
        return { start, end, bytes, damage: led[0]?.damage ?? '', reason }
      })
      return { type: 'patch', file: edited.file, edits }
    })
  }

  #make(change: Change): void {
    switch (change.type) {
      case 'remove':
      case 'write':
        this.#edited.set(change.file, change)
        return
      case 'patch': {
        const { file, edits } = change
        const before = this.#edited.get(file)
        const original = before?.type === 'patch' ? before.original : this.#content(file).bytes
        const pieces = (before?.type === 'patch' ? before.pieces : Pieces.whole<ByteEdit>(original.length)).edit(edits)
        if (before?.type === 'write') this.#edited.set(file, { ...before, bytes: join(pieces, original) })
        else this.#edited.set(file, { type: 'patch', file, pieces, original })
        return
      }
      default:
        throw new TypeError(`A tree of files cannot have a change of type ${change.type}.`)
    }
  }

  #content(file: string): Content {
    const cached = this.#cached.get(file)
    if (cached !== undefined) return cached
    const bytes = this.#read(file)
    const content = { bytes, value: parseObject(bytes) }
    if (this.#cachedBytes + bytes.length <= MAX_CACHED_BYTES) {
      this.#cached.set(file, content)
      this.#cachedBytes += bytes.length
    }
    return content
  }

  #read(file: string): Buffer {
    const edited = this.#edited.get(file)
    if (edited?.type === 'write') return edited.bytes
    if (edited?.type === 'patch') return join(edited.pieces, edited.original)
    try {
      return readSmallFile(file, this.#session.storeRoot, MAX_FILE_BYTES)
    } catch (error) {
      if (hasErrorCode(error, 'not-found')) throw vanished(file)
      throw error
    }
  }
}

interface Content {
  bytes: Buffer
  value: Record<string, unknown> | undefined
}

class LazyFile implements ParsedTreeFile {
  readonly file: string
  readonly role: TreeFile['role']
  readonly id: string
  readonly of?: string
  readonly #load: (file: string) => Content

  constructor({ file, role, id, of }: TreeFile, load: (file: string) => Content) {
    this.file = file
    this.role = role
    this.id = id
    if (of !== undefined) this.of = of
    this.#load = load
  }

  get bytes(): Buffer {
    return this.#load(this.file).bytes
  }

  get value(): Record<string, unknown> | undefined {
    return this.#load(this.file).value
  }
}

function join(pieces: Pieces<ByteEdit>, original: Buffer): Buffer {
  return Buffer.concat([...pieces.chunks(0, pieces.size, (start, end) => [original.subarray(start, end)])])
}

function vanished(path: string): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} was there a moment ago and is gone: the agent is changing the session.`,
    hint: 'Try again in a moment.',
    path,
  })
}
