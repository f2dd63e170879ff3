// The copies that a person edits. What they have typed is thrown away only when it is in the place of the original.
import { basename, dirname } from 'node:path'
import type { EventsProblem, SanitizeReport } from '../../agents/sanitizer.ts'
import { listFolder } from '../../disk/files/read.ts'
import type { EarlierCopy, EditCopy } from '../../disk/state/edit-copy.ts'
import { earlierEditCopies, makeEditCopy } from '../../disk/state/edit-copy.ts'
import { RethreadError } from '../../model/errors.ts'
import { cleanLine } from '../clean.ts'

interface Held {
  problem: EventsProblem
  copy: EditCopy
  /** The editor came back at once: its window may still be open. */
  isOpen: boolean
}

export class EditCopies {
  readonly #state: string
  /** By the path of the original. */
  readonly #held = new Map<string, Held>()

  constructor(state: string) {
    this.#state = state
  }

  /** Whether this is asked once more, and the person has edited it before. */
  has({ path }: EventsProblem): boolean {
    return this.#held.has(path)
  }

  /** The one that was edited before, or a new one. */
  of(problem: EventsProblem): EditCopy {
    return this.#held.get(problem.path)?.copy ?? this.#make(problem)
  }

  /** What was edited in an earlier run, and never taken. Those into which nobody typed anything are removed. */
  earlier({ path, bytes }: EventsProblem): EarlierCopy | undefined {
    const all = earlierEditCopies(this.#state, path)
    for (const copy of all) if (copy.holdsOnly(bytes)) copy.remove()
    return earlierEditCopies(this.#state, path)[0]
  }

  /** In the place of a new copy. */
  goOnWith(problem: EventsProblem, copy: EditCopy): void {
    this.#held.set(problem.path, { problem, copy, isOpen: false })
  }

  /** What an editor left behind cannot be gone on with. It stays where it is. */
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

  /** The person has decided otherwise. Says where the copy is, if anything was typed into it. */
  putAside({ path }: EventsProblem): string[] {
    const held = this.#held.get(path)
    this.#held.delete(path)
    return held === undefined ? [] : keepOrRemove(held)
  }

  /** Those whose text is not in its place by now are kept, and said. Without a report none is known to be. */
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

function keepOrRemove({ problem, copy, isOpen }: Held): string[] {
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

/** Undefined where it cannot be told: that is not nothing. */
function namesIn(folder: string): string[] | undefined {
  try {
    return listFolder(folder).map(({ name }) => name)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
