// The log in the state folder. Each place that was skipped is logged once, with file and offset.

import type { Logger } from 'pino'
import { pino } from 'pino'
import { openLogFile } from '../disk/state.ts'
import { RethreadError } from '../model/errors.ts'
import type { Finding } from '../model/finding.ts'
import type { Place } from '../model/message.ts'

export interface Log {
  /** Everything skipped so far in this process, for one quiet line at the end. */
  skipped: number
  /** Where the log is, once something was written to it. */
  path: string | undefined
  skip(agent: string, sessionId: string, finding: Finding): void
  debug(text: string, details: object): void
}

export function makeLog(state: string, level = 'warn'): Log {
  const seen = new Set<string>()
  const sink = makeSink(state, level)
  const log: Log = {
    skipped: 0,
    path: undefined,
    skip(agent, sessionId, finding) {
      const key = `${finding.damage} ${placeKey(finding.at)}`
      if (seen.has(key)) return
      seen.add(key)
      log.skipped++
      const { damage, severity, at, text } = finding
      log.path = sink('warn', text, { agent, sessionId, damage, severity, ...at }) ?? log.path
    },
    debug(text, details) {
      log.path = sink('debug', text, details) ?? log.path
    },
  }
  return log
}

type Level = 'debug' | 'warn'
type Sink = (level: Level, text: string, details: object) => string | undefined

/** Opened with the first entry, so that a run that has nothing to say leaves no file behind. */
function makeSink(state: string, level: string): Sink {
  let opened: { path: string; logger: Logger } | 'unavailable' | undefined
  return (entryLevel, text, details) => {
    if (!isWanted(entryLevel, level)) return undefined
    opened ??= open(state, level)
    if (opened === 'unavailable') return undefined
    opened.logger[entryLevel](details, text)
    return opened.path
  }
}

function open(state: string, level: string): { path: string; logger: Logger } | 'unavailable' {
  try {
    const file = openLogFile(state)
    const logger = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, file)
    return { path: file.path, logger }
  } catch (error) {
    // A state folder that cannot be written is no reason to stop reading; whatever else went wrong is.
    if (error instanceof RethreadError) return 'unavailable'
    throw error
  }
}

function isWanted(entry: Level, level: string): boolean {
  return (
    pino.levels.values[entry] !== undefined &&
    (pino.levels.values[entry] ?? 0) >= (pino.levels.values[level] ?? Number.POSITIVE_INFINITY)
  )
}

function placeKey(place: Place): string {
  return 'table' in place ? `${place.file} ${place.table} ${place.row}` : `${place.file} ${place.start}`
}
