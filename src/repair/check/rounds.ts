// Findings and planned edits of one file over all rounds. Several rounds are needed because a repair can
// uncover other damage.
import type { Pieces } from '../../bytes/edits.ts'
import { type Finding, Findings } from '../../model/finding.ts'
import { type ByteEdit, type Change, isPatch, type Refusal, type Why } from '../../model/plan.ts'
import type { Detected, Planned } from '../damage/damage.ts'

/** After this many rounds, the rest is reported and not repaired. */
export const MAX_ROUNDS = 4

/** The file as it would be after the edits so far. */
export type FileView = Pieces<ByteEdit>

/** The part of a damage class that a round uses, for any framing. */
interface RoundDamage<Subject> {
  id: string
  detect(subject: Subject): Detected[] | Promise<Detected[]>
  plan(subject: Subject, detected: readonly Detected[]): Planned
  goesFirst?(subject: Subject, detected: readonly Detected[]): boolean
}

/** In the order of the classes. Empty where none of them found anything. */
export type FoundByClass = readonly (readonly Detected[])[]

const NOTHING_FOUND: FoundByClass = []

export async function detectAll<Subject>(
  subject: Subject,
  damages: readonly RoundDamage<Subject>[],
): Promise<FoundByClass> {
  const all: (readonly Detected[])[] = []
  let isAny = false
  for (const damage of damages) {
    const found = damage.detect(subject)
    // To wait for what is there already takes longer than most classes take to find nothing.
    const detected = Array.isArray(found) ? found : await found
    if (detected.length > 0) isAny = true
    all.push(detected)
  }
  return isAny ? all : NOTHING_FOUND
}

export class Rounds<Subject> {
  readonly findings = new Findings()
  readonly refusals: Refusal[] = []
  /** Changes of files other than this one. */
  readonly others: Change[] = []
  /** Whether the last round found nothing. */
  isClean = false
  /** Whether a finding keeps the agent from loading anything, now and after the repair. */
  isFatalNow = false
  isFatalAfter = false
  readonly #path: string
  #onEdit: (() => void) | undefined
  readonly #known = new Set<string>()
  #count = 0

  /** `onEdit` is called once, when the first edit of the file is planned or expected. */
  constructor(path: string, onEdit?: () => void) {
    this.#path = path
    this.#onEdit = onEdit
  }

  /**
   * Runs one round. Returns the edits of the file that can be made together. `found` is what `detectAll` gave, where
   * that was asked already.
   */
  async add(
    subject: Subject,
    damages: readonly RoundDamage<Subject>[],
    view: FileView,
    found?: FoundByClass,
  ): Promise<ByteEdit[]> {
    const edits: ByteEdit[] = []
    const all = found ?? (await detectAll(subject, damages))
    this.isClean = all.length === 0
    this.#count++
    let isLater = false
    for (const [place, detected] of all.entries()) {
      const damage = damages[place]
      if (damage === undefined) continue
      // There is a round after this one only if this one edits something.
      if (isLater && edits.length > 0 && this.#count < MAX_ROUNDS) break
      isLater ||= damage.goesFirst?.(subject, detected) === true
      if (detected.length === 0) continue
      for (const { finding } of detected) this.#note(finding, view)
      const planned = damage.plan(subject, detected)
      for (const change of planned.changes) {
        if (!isPatch(change) || change.file !== this.#path) this.#noteOther(change)
        else for (const edit of change.edits) edits.push(edit)
      }
      if (edits.length > 0) this.expectEdits()
      this.#noteFatal(detected, planned)
      for (const { reason } of planned.refused) this.refuse(damage.id, reason)
    }
    return mergeEdits(edits)
  }

  /** Calls `onEdit`, if nothing did so before. */
  expectEdits(): void {
    const call = this.#onEdit
    this.#onEdit = undefined
    call?.()
  }

  refuse(damage: string, reason: string): void {
    if (this.#isNew(`refused ${damage} ${reason}`)) this.refusals.push({ damage, reason, file: this.#path })
  }

  #note(finding: Finding, view: FileView): void {
    const at = 'start' in finding.at && finding.at.file === this.#path ? inFile(finding.at, view) : finding.at
    if (this.#isNew(`${finding.damage} ${JSON.stringify(at)}`)) this.findings.add({ ...finding, at })
  }

  #noteOther(change: Change): void {
    const row = change.type === 'row' ? JSON.stringify([change.table, change.key]) : ''
    if (this.#isNew(`${change.type} ${change.file} ${row}`)) this.others.push(change)
  }

  #noteFatal(detected: readonly Detected[], planned: Planned): void {
    const fatal = detected.filter(({ isFatal }) => isFatal === true)
    this.isFatalNow ||= fatal.length > 0
    this.isFatalAfter ||= fatal.some(({ finding }) => planned.refused.some(refused => refused.finding === finding))
  }

  #isNew(key: string): boolean {
    if (this.#known.has(key)) return false
    this.#known.add(key)
    return true
  }
}

/** Maps a range of the view to the range in the file. */
function inFile<At extends { start: number; end: number }>(at: At, view: FileView): At {
  const start = view.toFile(at.start)
  return { ...at, start, end: at.end > at.start ? Math.max(start, view.toFile(at.end - 1) + 1) : start }
}

/**
 * An edit holds the bytes it replaces, so that it still applies after the file has grown. Longer ranges would
 * use too much memory.
 */
const MAX_OLD_BYTES = 1024 * 1024

/**
 * Returns the edits that turn the file into the view, each with its reasons. `range` reads the file as it is.
 */
export function editsOfView(view: FileView, range: (start: number, end: number) => Buffer): ByteEdit[] {
  return [...view.changes()].map(({ start, end, bytes, edits }): ByteEdit => {
    const old = end - start <= MAX_OLD_BYTES ? { old: range(start, end) } : {}
    return { start, end, bytes, ...old, damage: edits[0]?.damage ?? '', ...reasonOf(edits) }
  })
}

function reasonOf(edits: readonly Omit<Why, 'damage'>[]): Omit<Why, 'damage'> {
  const reasons = [...new Set(edits.map(edit => edit.reason))]
  const [{ reasonOfMany, detail } = {}] = reasons.length === 1 ? edits : []
  return {
    reason: reasons.join('; '),
    ...(reasonOfMany === undefined ? {} : { reasonOfMany }),
    ...(detail === undefined ? {} : { detail }),
  }
}

/**
 * Several damage classes plan edits of one file at the same time. Of edits that touch the same bytes, only
 * the one whose class is earlier in the list is made. The other classes scan the result in the next round.
 * `edits` come in the order of repair; the result is sorted by offset, without overlaps.
 */
export function mergeEdits(edits: readonly ByteEdit[]): ByteEdit[] {
  const sorted = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order)
  const merged: { edit: ByteEdit; order: number }[] = []
  for (const next of sorted) {
    const last = merged.at(-1)
    if (last === undefined || next.edit.start >= last.edit.end) merged.push(next)
    else if (next.order < last.order) merged[merged.length - 1] = next
  }
  return merged.map(({ edit }) => edit)
}
