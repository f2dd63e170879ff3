// The changes of a session's tools, by file. An agent may send whole files or only the changed parts.
import type { FileDiff } from '../shapes/session.ts'
import { MAX_DIFF_CHARS } from './limits.ts'
import { makePatch, type Patch, type TextChange } from './patch.ts'

interface StoredChange {
  /** The part that reported the change. */
  source: string
  /** The answer with that part, and the message it answers. */
  messages: readonly string[]
  change: TextChange
}

interface File {
  stored: StoredChange[]
  /** Counts of the changes whose texts were dropped. */
  additions: number
  deletions: number
  isNew: boolean
  /** Cached until the next change, because it is read after each turn. */
  described: FileDiff | undefined
}

export class SessionDiffs {
  readonly #files = new Map<string, File>()
  readonly #order: { file: File; stored: StoredChange }[] = []
  readonly #sources = new Set<string>()
  readonly #maxChars: number
  #chars = 0

  constructor(maxChars = MAX_DIFF_CHARS) {
    this.#maxChars = maxChars
  }

  /** Sets the changes of a finished tool. A later report of the same tool replaces them. */
  set(source: string, changes: readonly TextChange[], messages: readonly string[] = []): void {
    if (this.#sources.has(source)) this.#remove(source)
    if (changes.length > 0) this.#sources.add(source)
    for (const change of changes) {
      const file = this.#file(change)
      const stored = { source, messages, change }
      file.stored.push(stored)
      file.described = undefined
      this.#order.push({ file, stored })
      this.#chars += lengthOf(change)
    }
    this.#shrink()
  }

  list(): FileDiff[] {
    return [...this.#files].map(([path, file]) => {
      file.described ??= describe(path, file)
      return file.described
    })
  }

  /**
   * The changes in answer to one message, or in that answer. Changes whose texts were dropped are not
   * included.
   */
  listOf(message: string): FileDiff[] {
    return [...this.#files].flatMap(([path, file]) => {
      const stored = file.stored.filter(({ messages }) => messages.includes(message))
      const [first] = stored
      if (first === undefined) return []
      const isNew = first.change.oldText === null
      return [describe(path, { stored, additions: 0, deletions: 0, isNew })]
    })
  }

  #file({ path, oldText }: TextChange): File {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const file: File = { stored: [], additions: 0, deletions: 0, isNew: oldText === null, described: undefined }
    this.#files.set(path, file)
    return file
  }

  #remove(source: string): void {
    this.#sources.delete(source)
    for (const [path, file] of this.#files) {
      const stored = file.stored.filter(one => one.source !== source)
      if (stored.length === file.stored.length) continue
      file.stored = stored
      file.described = undefined
      if (stored.length === 0 && file.additions + file.deletions === 0) this.#files.delete(path)
    }
    for (let at = this.#order.length - 1; at >= 0; at--) {
      const entry = this.#order[at]
      if (entry?.stored.source !== source) continue
      this.#order.splice(at, 1)
      this.#chars -= lengthOf(entry.stored.change)
    }
  }

  /** Drops the oldest texts. Their counts stay. */
  #shrink(): void {
    while (this.#chars > this.#maxChars) {
      const oldest = this.#order.shift()
      if (oldest === undefined) return
      const { file, stored } = oldest
      const { additions, deletions } = makePatch(stored.change)
      file.stored = file.stored.filter(one => one !== stored)
      file.described = undefined
      file.additions += additions
      file.deletions += deletions
      this.#chars -= lengthOf(stored.change)
    }
  }
}

function lengthOf({ oldText, newText }: TextChange): number {
  return (oldText ?? '').length + newText.length
}

function describe(path: string, file: Omit<File, 'described'>): FileDiff {
  const changes = chain(file.stored.map(({ change }) => change))
  const patches = changes.map(makePatch)
  const sum = (count: (patch: Patch) => number) => patches.reduce((total, patch) => total + count(patch), 0)
  return {
    file: path,
    before: changes.map(({ oldText }) => oldText ?? '').join('\n'),
    after: changes.map(({ newText }) => newText).join('\n'),
    patch: patches.map(({ patch }) => patch).join(''),
    additions: file.additions + sum(patch => patch.additions),
    deletions: file.deletions + sum(patch => patch.deletions),
    status: file.isNew ? 'added' : 'modified',
  }
}

/** Joins a change with the last one where it continues exactly from it. */
function chain(changes: readonly TextChange[]): TextChange[] {
  const chained: TextChange[] = []
  for (const change of changes) {
    const last = chained.at(-1)
    if (last !== undefined && last.newText === change.oldText)
      chained[chained.length - 1] = { ...last, newText: change.newText }
    else chained.push(change)
  }
  return chained
}
