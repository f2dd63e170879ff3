// How the agent resumes a session, by version. Measured with 2.0.14, 2.1.25 and 2.1.325. Between them the
// stricter rule holds until a version that is known to be more tolerant.

export interface LoaderRules {
  /** Follows links through `progress` records. */
  knowsProgress: boolean
  /**
   * Removes `progress` while it reads the file: a report that follows its child is not seen, and none
   * can end a conversation.
   */
  elidesProgress: boolean
  /** A subagent's record in the same file can be taken for the end of the conversation. */
  mayEndInSidechain: boolean
  /** If false, it loops for ever in a circle of links. */
  survivesCycles: boolean
  /** The newest record anywhere in the file, or the last record that no other continues. */
  end: 'newest' | 'last'
  /** A `last-prompt` record names the end of the conversation. */
  hasEndRecord: boolean
  /** At a missing parent, it continues with a record written shortly before. */
  bridges: boolean
  /** Also loads the other lines of a message on the path, and the results of their calls. */
  gathersSiblings: boolean
  /** Joins the lines of one message even if results of its calls are between them. */
  joinsOverResults: boolean
  /** Sends a prompt that was typed while the agent worked. */
  sendsQueuedPrompts: boolean
  /** Leaves out a message that is only thinking. */
  dropsThinkingAlone: boolean
  /** Leaves out a result without its call, unless the conversation starts with it. */
  dropsStrayResults: boolean
  /** Leaves out a model message without content. */
  dropsBlank: boolean
  /** Adds a result for an unanswered call at the end. If false, it leaves the call out. */
  answersLastCall: boolean
  /** Adds an answer for a prompt at the end, even if the agent's own notes follow it. */
  answersPastNotes: boolean
  /**
   * Resumes nothing if the content of a message is missing or of the wrong form. If false, it leaves out the blocks
   * that it cannot use, and a message without any other.
   */
  failsOnBrokenMessages: boolean
  /** Fails on a text block without text as well. */
  failsOnMissingText: boolean
  /** Leaves out an answer with an empty list of blocks. */
  dropsEmptyAnswers: boolean
  /** Reads the first record of a line that holds more. */
  readsFirstOnLine: boolean
  /** Skips a byte order mark before a record. */
  skipsByteOrderMark: boolean
}

/** The first such version, between 2.0.14 and 2.1.25, is not known. The later one is the stricter limit. */
const KNOWS_MORE_KINDS = '2.1.25'
/** From its changelog; 2.1.25 was seen to hang. */
const SURVIVES_CYCLES = '2.1.30'
/** "Parallel results restored", in its changelog. */
const GATHERS_SIBLINGS = '2.1.80'
/** As reported, with the fault that a `progress` after its child is not seen. */
const ELIDES_PROGRESS = '2.1.85'
/** The first version seen to continue past a missing parent. Earlier ones tried and got it wrong. */
const BRIDGES = '2.1.197'
/**
 * 2.1.211 was reported to ignore the record; this version was measured. It is also the first seen to survive
 * a message of the wrong form.
 */
const HAS_END_RECORD = '2.1.325'

/**
 * The first version seen to search the folders of other projects. 2.1.25 does not. To
 * continue the last session it searches them for the current folder in the records, and only
 * while the folder's own project has no session.
 */
const FINDS_IN_ALL_PROJECTS = '2.1.325'

export function findsInAllProjects(version: string | undefined): boolean {
  return version !== undefined && isAtLeast(version, FINDS_IN_ALL_PROJECTS)
}

/** Most sessions of one check have the same version as the one before. */
let last: { version: string | undefined; rules: LoaderRules } | undefined

export function rulesFor(version: string | undefined): LoaderRules {
  if (last === undefined || last.version !== version) last = { version, rules: makeRules(version) }
  return last.rules
}

function makeRules(version: string | undefined): LoaderRules {
  const since = (border: string): boolean => version !== undefined && isAtLeast(version, border)
  return {
    knowsProgress: since(KNOWS_MORE_KINDS),
    elidesProgress: since(ELIDES_PROGRESS),
    mayEndInSidechain: !since(KNOWS_MORE_KINDS),
    survivesCycles: since(SURVIVES_CYCLES),
    end: since(BRIDGES) ? 'last' : 'newest',
    hasEndRecord: since(HAS_END_RECORD),
    bridges: since(BRIDGES),
    gathersSiblings: since(GATHERS_SIBLINGS),
    joinsOverResults: since(KNOWS_MORE_KINDS),
    sendsQueuedPrompts: since(KNOWS_MORE_KINDS),
    dropsThinkingAlone: since(KNOWS_MORE_KINDS),
    // Later versions insert a note instead.
    dropsStrayResults: since(KNOWS_MORE_KINDS) && !since(BRIDGES),
    dropsBlank: since(BRIDGES),
    answersLastCall: since(BRIDGES),
    answersPastNotes: since(BRIDGES),
    failsOnBrokenMessages: !since(HAS_END_RECORD),
    failsOnMissingText: since(KNOWS_MORE_KINDS) && !since(HAS_END_RECORD),
    dropsEmptyAnswers: !since(HAS_END_RECORD),
    readsFirstOnLine: since(BRIDGES),
    skipsByteOrderMark: since(KNOWS_MORE_KINDS),
  }
}

export function isAtLeast(version: string, border: string): boolean {
  const own = numbersOf(version)
  const wanted = numbersOf(border)
  for (const [place, number] of wanted.entries()) {
    const difference = (own[place] ?? 0) - number
    if (difference !== 0) return difference > 0
  }
  return true
}

function numbersOf(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number)
}
