// Logs in which nothing is unusual: one chain of records from the first to the last, in the order of the file, in which
// every call has its result, and progress reports beside it. Most logs are such. No class of damage finds anything in
// them, and the model of the agent's resume (`load`) reaches every message, so that it is enough to count. Everything
// else is left to the index: branches, compactions, queued prompts, and whatever may be damaged.
import { NUMBERS_PER_SLOT } from '../../../bytes/scanner/kernel.ts'
import { IdStates } from '../../../model/id-states.ts'
import type { SessionRef } from '../../../model/session.ts'
import {
  ASSISTANT,
  HAS_ID,
  KIND,
  kindFlag,
  META,
  NAMES_PARENT,
  ONLY_THINKING,
  REFUSED,
  SIDECHAIN,
  SUSPECT,
  USER,
} from '../../../repair/records/record-flags.ts'
import type { ShapeFacts, Source } from '../../../repair/records/record-shape.ts'
import { NO_SLOT } from '../../../repair/records/record-shape.ts'
import type { PlainCounts, PlainLog, PlainSlots } from '../../repair.ts'
import type { LoaderRules } from '../loader/rules.ts'
import { rulesFor } from '../loader/rules.ts'
import { isMissingFromIndex } from './sessions-index.ts'

/** What all lines of one shape are. */
interface Step {
  /** Says nothing about the chain. */
  isApart: boolean
  isProgress: boolean
  isTalk: boolean
  isMeta: boolean
  isAnswer: boolean
  isOnlyThinking: boolean
  isSidechain: boolean
  version: string | undefined
  /** Slots. `NO_SLOT` where there is none. */
  id: number
  parent: number
  time: number
  group: number
  target: number
  calls: readonly number[]
  results: readonly number[]
}

const [TALK, SYSTEM] = [kindFlag('talk'), kindFlag('system')]
const [ATTACHMENT, PROGRESS, OTHER] = [kindFlag('attachment'), kindFlag('progress'), kindFlag('other')]
const IN_CHAIN: ReadonlySet<number> = new Set([TALK, SYSTEM, ATTACHMENT, PROGRESS])

/** Shapes are few, and the same objects for all logs. */
const steps = new WeakMap<ShapeFacts, Step | 'unusual'>()

function stepOf(facts: ShapeFacts): Step | 'unusual' {
  let step = steps.get(facts)
  if (step === undefined) {
    step = makeStep(facts) ?? 'unusual'
    steps.set(facts, step)
  }
  return step
}

function makeStep(facts: ShapeFacts): Step | undefined {
  const { flags, id, parent, group, target, version, time, calls, results } = facts
  const kind = flags & KIND
  const isApart = kind === OTHER
  if ((flags & (SUSPECT | REFUSED)) !== 0) return undefined
  if (isApart ? (flags & (HAS_ID | NAMES_PARENT)) !== 0 : !isInChain(facts)) return undefined
  if (kind === TALK ? !isUsualTalk(facts) : calls.length + results.length > 0) return undefined
  const named = [id, parent, group, target, ...calls, ...results]
  if (named.some(isFixed) || (version !== undefined && version.slot !== NO_SLOT)) return undefined
  return {
    isApart,
    isProgress: kind === PROGRESS,
    isTalk: kind === TALK,
    isMeta: (flags & META) !== 0,
    isAnswer: (flags & ASSISTANT) !== 0,
    isOnlyThinking: (flags & ONLY_THINKING) !== 0,
    isSidechain: (flags & SIDECHAIN) !== 0,
    version: version?.value,
    id: slotIn(id),
    parent: slotIn(parent),
    time: time.slot,
    group: slotIn(group),
    target: slotIn(target),
    calls: calls.map(slotIn),
    results: results.map(slotIn),
  }
}

/** A prompt that was queued is an attachment of the user. */
function isInChain({ flags, id, time }: ShapeFacts): boolean {
  const kind = flags & KIND
  const isKnown = IN_CHAIN.has(kind) && (kind !== ATTACHMENT || (flags & USER) === 0)
  return isKnown && id !== undefined && time.slot !== NO_SLOT
}

function isUsualTalk({ flags, group }: ShapeFacts): boolean {
  if ((flags & ASSISTANT) === 0) return (flags & USER) !== 0
  return group !== undefined && (flags & META) === 0
}

/** The same text in all records of the shape. */
function isFixed(source: Source<string> | undefined): boolean {
  return source !== undefined && source.slot === NO_SLOT
}

function slotIn(source: Source<string> | undefined): number {
  return source === undefined ? NO_SLOT : source.slot
}

/** The states of a call. */
const [CALLED, ANSWERED] = [1, 2] as const
const MET = 1
/** Whose message was sent last. */
const [NOBODY, PERSON, MODEL] = [0, 1, 2] as const

class Reader implements PlainLog {
  readonly #ids = new IdStates()
  readonly #tools = new IdStates()
  #isInstalled = false
  #version: string | undefined
  #rules: LoaderRules | undefined
  /** The number of records in the chain, of messages among them, and of calls without a result. */
  #depth = 0
  #talk = 0
  #open = 0
  /** Of the last record in the chain. */
  #a = 0
  #b = 0
  #time = 0
  #isTalk = false
  #isSidechain = false
  /** The latest time before that of the last record in the chain, or of a progress report. */
  #latest = Number.NEGATIVE_INFINITY
  /** Of the last progress report after that record. */
  #hasProgress = false
  #progressA = 0
  #progressB = 0
  /** The end of the conversation that was noted last. */
  #hasTarget = false
  #targetA = 0
  #targetB = 0
  /** The message of the model that the last of its lines belongs to, and whether it has only thought so far. */
  #hasGroup = false
  #groupA = 0
  #groupB = 0
  #isThinking = false
  #messages = 0
  #sent = 0
  #last: typeof NOBODY | typeof PERSON | typeof MODEL = NOBODY
  #isOnlyResults = false

  begin(installedVersion: string | undefined): void {
    this.#ids.clear()
    this.#tools.clear()
    this.#isInstalled = installedVersion !== undefined
    this.#version = installedVersion
    this.#rules = installedVersion === undefined ? undefined : rulesFor(installedVersion)
    this.#latest = Number.NEGATIVE_INFINITY
    this.#depth = this.#talk = this.#open = this.#messages = this.#sent = 0
    this.#hasProgress = this.#hasTarget = this.#hasGroup = this.#isThinking = this.#isOnlyResults = false
    this.#last = NOBODY
  }

  add(facts: ShapeFacts, slots: PlainSlots, slot: number): boolean {
    const step = stepOf(facts)
    if (step === 'unusual' || !this.#hasSameVersion(step)) return false
    if (step.isApart) return this.#noteTarget(step, slots, slot)
    if (step.isProgress) return this.#hangsOn(step, slots, slot)
    if (!this.#continues(step, slots, slot)) return false
    return !step.isTalk || (this.#pairs(step, slots, slot) && this.#counts(step, slots, slot))
  }

  end(session: SessionRef): PlainCounts | undefined {
    const rules = this.#rules
    if (rules === undefined || this.#talk === 0 || this.#open > 0 || this.#isThinking) return undefined
    // A progress report may be the newest record, too.
    if (rules.end === 'newest' && this.#time <= this.#latest) return undefined
    const isElsewhere = this.#hasTarget && (this.#targetA !== this.#a || this.#targetB !== this.#b)
    if (rules.hasEndRecord && isElsewhere) return undefined
    if (!this.#isSidechain && isMissingFromIndex(session, this.#version)) return undefined
    const isUnanswered = this.#last === PERSON && !(rules.answersPastNotes || this.#isTalk)
    // A prompt at the end is answered first, or joined with the new one.
    const sent = this.#last !== PERSON ? this.#sent : isUnanswered ? this.#sent - 1 : this.#sent + 1
    return { messages: this.#messages, sent, depth: this.#depth }
  }

  /** The version that wrote last decides how the log is resumed. Where it changes, all are seen first. */
  #hasSameVersion({ version }: Step): boolean {
    if (this.#isInstalled || version === undefined || version === this.#version) return true
    if (this.#version !== undefined) return false
    this.#version = version
    this.#rules = rulesFor(version)
    return true
  }

  #noteTarget({ target }: Step, { slots }: PlainSlots, slot: number): boolean {
    if (target === NO_SLOT) return true
    const at = (slot + target) * NUMBERS_PER_SLOT
    this.#hasTarget = true
    this.#targetA = slots[at] as number
    this.#targetB = slots[at + 1] as number
    return true
  }

  /** Whether the record follows the last one in the chain. */
  #continues({ id, parent, time, isSidechain, isTalk }: Step, scanned: PlainSlots, slot: number): boolean {
    const { slots } = scanned
    const own = scanned.timeAt(slot + time)
    if (this.#depth === 0) {
      if (parent !== NO_SLOT) return false
      this.#isSidechain = isSidechain
    } else {
      if (parent === NO_SLOT || isSidechain !== this.#isSidechain) return false
      const at = (slot + parent) * NUMBERS_PER_SLOT
      if (slots[at] !== this.#a || slots[at + 1] !== this.#b) return false
      this.#latest = Math.max(this.#latest, this.#time)
    }
    const at = (slot + id) * NUMBERS_PER_SLOT
    this.#time = own
    this.#a = slots[at] as number
    this.#b = slots[at + 1] as number
    this.#depth++
    this.#isTalk = isTalk
    this.#hasProgress = false
    return this.#ids.swap(this.#a, this.#b, MET) === 0
  }

  /** Whether a progress report follows the last record in the chain, or another report on it. */
  #hangsOn({ id, parent, time, isSidechain }: Step, scanned: PlainSlots, slot: number): boolean {
    const { slots } = scanned
    if (this.#depth === 0 || parent === NO_SLOT || isSidechain !== this.#isSidechain) return false
    let at = (slot + parent) * NUMBERS_PER_SLOT
    const a = slots[at] as number
    const b = slots[at + 1] as number
    const isOnReport = this.#hasProgress && a === this.#progressA && b === this.#progressB
    if (!isOnReport && (a !== this.#a || b !== this.#b)) return false
    this.#latest = Math.max(this.#latest, scanned.timeAt(slot + time))
    at = (slot + id) * NUMBERS_PER_SLOT
    this.#hasProgress = true
    this.#progressA = slots[at] as number
    this.#progressB = slots[at + 1] as number
    return this.#ids.swap(this.#progressA, this.#progressB, MET) === 0
  }

  /** Whether every call is new, and every result that of an open call. */
  #pairs({ calls, results }: Step, { slots }: PlainSlots, slot: number): boolean {
    for (let tool = 0; tool < calls.length; tool++) {
      const at = (slot + (calls[tool] as number)) * NUMBERS_PER_SLOT
      if (this.#tools.swap(slots[at] as number, slots[at + 1] as number, CALLED) !== 0) return false
      this.#open++
    }
    for (let tool = 0; tool < results.length; tool++) {
      const at = (slot + (results[tool] as number)) * NUMBERS_PER_SLOT
      if (this.#tools.swap(slots[at] as number, slots[at + 1] as number, ANSWERED) !== CALLED) return false
      this.#open--
    }
    return true
  }

  /** Counts as `countShown` and `countSent` do. */
  #counts({ isAnswer, isMeta, isOnlyThinking, group, results }: Step, { slots }: PlainSlots, slot: number): boolean {
    this.#talk++
    if (!isAnswer) {
      if (this.#isThinking) return false
      if (!isMeta) this.#messages++
      const isJoined = this.#last === PERSON
      this.#isOnlyResults = results.length > 0 && (!isJoined || this.#isOnlyResults)
      if (!isJoined) this.#sent++
      this.#last = PERSON
      return true
    }
    const at = (slot + group) * NUMBERS_PER_SLOT
    const a = slots[at] as number
    const b = slots[at + 1] as number
    const isSame = this.#hasGroup && a === this.#groupA && b === this.#groupB
    // A message that is only thinking is not sent.
    if (this.#isThinking && !isSame) return false
    this.#isThinking = isOnlyThinking && (this.#isThinking || !isSame)
    if (!isSame) this.#messages++
    this.#hasGroup = true
    this.#groupA = a
    this.#groupB = b
    if (isSame && (this.#last === MODEL || (this.#isOnlyResults && this.#rules?.joinsOverResults === true))) return true
    this.#sent++
    this.#last = MODEL
    return true
  }
}

export function makePlain(): PlainLog {
  return new Reader()
}
