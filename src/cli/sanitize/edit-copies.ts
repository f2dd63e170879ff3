// The copies that the user edits. A copy is removed only when its text has replaced the original, or when
// nothing was typed into it.
import { basename, dirname } from 'node:path'
import type { EventsProblem, SanitizeReport } from '../../agents/sanitizer.ts'
import { listFolder } from '../../disk/files/read.ts'
import type { EarlierCopy, EditCopy } from '../../disk/state/edit-copy.ts'
import { earlierEditCopies, makeEditCopy } from '../../disk/state/edit-copy.ts'
import { RethreadError } from '../../model/errors.ts'
import { cleanLine } from '../print/clean.ts'

interface OpenCopy {
  problem: EventsProblem
  copy: EditCopy
  /** The editor returned at once: its window may still be open. */
  isOpen: boolean
}

export class EditCopies {
  readonly #state: string
  /** By the path of the original. */
  readonly #held = new Map<string, OpenCopy>()

  constructor(state: string) {
    this.#state = state
  }

  /** Whether the user has already edited this file in this run. */
  has({ path }: EventsProblem): boolean {
    return this.#held.has(path)
  }

  /** The copy that was edited before, or a new one. */
  of(problem: EventsProblem): EditCopy {
    return this.#held.get(problem.path)?.copy ?? this.#make(problem)
  }

  /** A copy that was edited in an earlier run but not used. Copies without changes are removed. */
  earlier({ path, bytes }: EventsProblem): EarlierCopy | undefined {
    const all = earlierEditCopies(this.#state, path)
    for (const copy of all) if (copy.holdsOnly(bytes)) copy.remove()
    return earlierEditCopies(this.#state, path)[0]
  }

  /** Uses an earlier copy instead of a new one. */
  resume(problem: EventsProblem, copy: EditCopy): void {
    this.#held.set(problem.path, { problem, copy, isOpen: false })
  }

  /** Starts a new copy when the editor left something unreadable. The old one stays where it is. */
  renew(problem: EventsProblem): string[] {
    const lines = this.putAside(problem)
    this.#make(problem)
    return lines
  }

  noteOpen({ path }: EventsProblem): void {
    const held = this.#held.get(path)
    if (held !== undefined) held.isOpen = true
  }

  #make(problem: EventsProblem): EditCopy {
    const { path, bytes } = problem
    const copy = makeEditCopy(this.#state, path, bytes)
    this.#held.set(path, { problem, copy, isOpen: false })
    return copy
  }

  /** The user decided otherwise. Returns lines that say where the copy is, if it was changed. */
  putAside({ path }: EventsProblem): string[] {
    const held = this.#held.get(path)
    this.#held.delete(path)
    return held === undefined ? [] : keepOrRemove(held)
  }

  /** Keeps and reports every copy whose text has not replaced the original. Without a report all are kept. */
  end(report: SanitizeReport | undefined): string[] {
    const lines: string[] = []
    for (const held of this.#held.values())
      if (isTaken(held.problem, report)) held.copy.remove()
      else lines.push(...keepOrRemove(held))
    this.#held.clear()
    return lines
  }
}

function isTaken({ root, conversation, file }: EventsProblem, report: SanitizeReport | undefined): boolean {
  return (report?.repaired ?? []).some(
    entry => entry.root === root && entry.conversation === conversation && entry.file === file,
  )
}

function keepOrRemove({ problem, copy, isOpen }: OpenCopy): string[] {
  const path = cleanLine(copy.path)
  const folder = dirname(copy.path)
  const names = namesIn(folder)
  const isUnused = names?.length === 0 || copy.holdsOnly(problem.bytes)
  if (!isUnused && names?.includes(basename(copy.path))) return [`What you have edited is kept: ${path}`]
  if (!isUnused) return [`What the editor has left is kept in this folder: ${cleanLine(folder)}`]
  if (isOpen)
    return [`If the editor is still open, what you save in it is here, and is not used automatically: ${path}`]
  copy.remove()
  return []
}

/** Undefined if the folder cannot be read, which does not mean that it is empty. */
function namesIn(folder: string): string[] | undefined {
  try {
    return listFolder(folder).map(({ name }) => name)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
