// How the agent resumes a session, by version. Measured with 2.0.14, 2.1.25 and 2.1.325; between them the stricter rule holds until a version
// that is known to be milder.

export interface LoaderRules {
  /** Links through `progress` are followed. */
  knowsProgress: boolean
  /** `progress` is taken out while the file is read: one that stands behind its child is not seen, and none is the end of a conversation. */
  elidesProgress: boolean
  /** What a sub-agent did in the same file can be taken for the end of the conversation. */
  mayEndInSidechain: boolean
  /** Otherwise it walks in a circle for ever. */
  survivesCycles: boolean
  /** The newest record of all, wherever it stands, or the last in the file that no other goes on from. */
  end: 'newest' | 'last'
  /** A `last-prompt` record says where the conversation ended. */
  hasEndRecord: boolean
  /** Where a parent is missing, it goes on with a record shortly before. */
  bridges: boolean
  /** Other lines of a message on the way, and the results of their calls, are taken in. */
  gathersSiblings: boolean
  /** The lines of one message are one message though results of its calls stand between them. */
  joinsOverResults: boolean
  /** A prompt that was typed while the agent worked is sent. */
  sendsQueuedPrompts: boolean
  /** A message that is nothing but thinking is left out. */
  dropsThinkingAlone: boolean
  /** A result without its call is left out, unless the conversation begins with it. */
  dropsStrayResults: boolean
  /** A message of the model that says nothing is left out. */
  dropsBlank: boolean
  /** A call at the end without a result is answered for; otherwise it is left out. */
  answersLastCall: boolean
  /** A prompt at the end is answered for, even if the agent's own notes stand behind it. */
  answersPastNotes: boolean
  /** A message whose content is missing or of the wrong form keeps it from resuming anything; otherwise the message is left out. */
  failsOnBrokenMessages: boolean
  /** An answer with an empty list of blocks is left out. */
  dropsEmptyAnswers: boolean
  /** Of a line that holds more than a record, what comes first is read. */
  readsFirstOnLine: boolean
  /** A byte order mark before a record is passed over. */
  skipsByteOrderMark: boolean
}

/** The first version between 2.0.14 and 2.1.25 is not known: the later one is the stricter border. */
const KNOWS_MORE_KINDS = '2.1.25'
/** Its list of changes says so; 2.1.25 was seen to hang. */
const SURVIVES_CYCLES = '2.1.30'
/** "Parallel results restored", in its list of changes. */
const GATHERS_SIBLINGS = '2.1.80'
/** As reported for it, with the fault that a `progress` behind its child is not seen. */
const ELIDES_PROGRESS = '2.1.85'
/** The first that was seen to go on past a missing parent; earlier ones tried and are known for what they got wrong. */
const BRIDGES = '2.1.197'
/** 2.1.211 was reported to pass over it; this one was measured. It is also the first that was seen to survive a message of the wrong form. */
const HAS_END_RECORD = '2.1.325'

/** The first that was seen to look for a session in the folders of other projects; 2.1.25 does not. */
const FINDS_IN_ALL_PROJECTS = '2.1.325'

export function findsInAllProjects(version: string | undefined): boolean {
  return version !== undefined && isAtLeast(version, FINDS_IN_ALL_PROJECTS)
}

export function rulesFor(version: string | undefined): LoaderRules {
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
    // Later ones put a note in its place.
    dropsStrayResults: since(KNOWS_MORE_KINDS) && !since(BRIDGES),
    dropsBlank: since(BRIDGES),
    answersLastCall: since(BRIDGES),
    answersPastNotes: since(BRIDGES),
    failsOnBrokenMessages: !since(HAS_END_RECORD),
    dropsEmptyAnswers: !since(HAS_END_RECORD),
    readsFirstOnLine: since(BRIDGES),
    skipsByteOrderMark: since(KNOWS_MORE_KINDS),
  }
}

function isAtLeast(version: string, border: string): boolean {
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
