// Writes logs and documents of made-up sessions, with damage as crashes and careless writers cause it.
import { cutSampleFile, PieceWriter } from '../../disk/files/sample-files.ts'
import type { Random } from './random.ts'
import type { SampleDamage, SamplePlan } from './sample.ts'

/**
 * The place of the damage as a share of the log's size. Never in its first records, which identify the
 * session.
 */
const DAMAGE_FROM = 0.2
const DAMAGE_TO = 0.8
const HEADER_LINES = 3

/** A log of JSON records. Each line is held until the next one comes, because a damage can affect both. */
export class LogWriter {
  readonly #out: PieceWriter
  readonly #random: Random
  readonly #damageAt: number
  #planned: SampleDamage | undefined
  #damages: SampleDamage[] = []
  #held: string | undefined
  #lines = 0

  constructor(path: string, plan: SamplePlan) {
    this.#out = new PieceWriter(path)
    this.#random = plan.random
    this.#planned = plan.isDamaged ? plan.random.pick(LINE_DAMAGES) : undefined
    this.#damageAt = plan.bytes * (DAMAGE_FROM + plan.random.next() * (DAMAGE_TO - DAMAGE_FROM))
  }

  get bytes(): number {
    return this.#out.bytes + (this.#held?.length ?? 0)
  }

  add(record: object): void {
    if (this.#held !== undefined) this.#out.write(this.#isTurn() ? this.#damage(this.#held) : `${this.#held}\n`)
    this.#held = JSON.stringify(record)
    this.#lines++
  }

  close(): { bytes: number; damages: SampleDamage[] } {
    const last = this.#held ?? ''
    // If the session ended before the damage could be placed, it becomes a torn tail.
    if (this.#planned === undefined) this.#out.write(`${last}\n`)
    else {
      this.#out.write(last.slice(0, this.#somewhere(last)))
      this.#damages.push('torn-end')
    }
    return { bytes: this.#out.close(), damages: this.#damages }
  }

  #isTurn(): boolean {
    const isPlanned = this.#planned !== undefined && this.#planned !== 'torn-end'
    return isPlanned && this.#lines > HEADER_LINES && this.#out.bytes >= this.#damageAt
  }

  #damage(line: string): string {
    const kind = this.#planned ?? 'torn-end'
    this.#planned = undefined
    this.#damages.push(kind)
    switch (kind) {
      case 'malformed-line':
        return `<<<<<<< ${line.slice(8)}\n`
      case 'splice':
        return line.slice(0, this.#somewhere(line))
      case 'glued-records':
        return line
      default:
        return '\0'.repeat(Buffer.byteLength(line) + 1)
    }
  }

  /** A place inside the line, after its first bytes, and not inside a character. */
  #somewhere(line: string): number {
    const at = this.#random.between(Math.min(10, line.length - 2), line.length - 2)
    return (line.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
  }
}

const LINE_DAMAGES: readonly SampleDamage[] = ['torn-end', 'malformed-line', 'splice', 'glued-records', 'zeros']

/** A document is written as a whole. If planned, it is cut somewhere in its conversation. */
export function endDocument(path: string, bytes: number, plan: SamplePlan): { bytes: number; damages: SampleDamage[] } {
  if (!plan.isDamaged) return { bytes, damages: [] }
  const left = Math.floor(bytes * (DAMAGE_FROM + plan.random.next() * (DAMAGE_TO - DAMAGE_FROM)))
  cutSampleFile(path, left)
  return { bytes: left, damages: ['cut-short'] }
}
