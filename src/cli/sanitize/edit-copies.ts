// The copies that a person edits. What they have typed is thrown away only when it is in the place of the original.
import type { EventsProblem, SanitizeReport } from '../../agents/sanitizer.ts'
import type { EditCopy } from '../../disk/edit-copy.ts'
import { makeEditCopy } from '../../disk/edit-copy.ts'
import { cleanLine } from '../clean.ts'

interface Held {
  problem: EventsProblem
  copy: EditCopy
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
    const { path, conversation, file, bytes } = problem
    const copy = this.#held.get(path)?.copy ?? makeEditCopy(this.#state, conversation, file, bytes)
    this.#held.set(path, { problem, copy })
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

function keepOrRemove({ problem, copy }: Held): string[] {
  const edited = contentOf(copy)
  if (edited !== undefined && !edited.equals(problem.bytes))
    return [`What you have edited is kept: ${cleanLine(copy.path)}`]
  copy.remove()
  return []
}

function contentOf(copy: EditCopy): Buffer | undefined {
  try {
    return copy.read()
  } catch {
    // An editor may have taken it away; the original is where it was.
    return undefined
  }
}
