// The log in the state folder. Each skipped place is logged once, with file and offset.
import type { Logger } from 'pino'
import { openLogFile } from '../disk/state/state.ts'
import { RethreadError } from '../model/errors.ts'
import type { Finding } from '../model/finding.ts'
import type { Place } from '../model/message.ts'

export interface Log {
  /** The number of skipped places so far in this process, for one line at the end. */
  skipped: number
  /** The path of the log, once something was written to it. */
  path: string | undefined
  skip(agent: string, sessionId: string, finding: Finding): void
  debug(text: string, details: object): void
  /** Writes all pending entries. */
  flush(): Promise<void>
}

type Level = 'debug' | 'warn'

interface Entry {
  level: Level
  text: string
  details: object
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function makeLog(state: string, wanted = 'warn'): Log {
  const seen = new Set<string>()
  let pending: Entry[] = []
  let opened: Opened | 'unavailable' | undefined
  const say = (level: Level, text: string, details: object): void => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(wanted)) pending.push({ level, text, details })
  }
  const log: Log = {
    skipped: 0,
    path: undefined,
    skip(agent, sessionId, { damage, severity, at, text }) {
      const key = `${damage} ${placeKey(at)}`
      if (seen.has(key)) return
      seen.add(key)
      log.skipped++
      say('warn', text, { agent, sessionId, damage, severity, ...at })
    },
    debug: (text, details) => say('debug', text, details),
    async flush() {
      const entries = pending
      pending = []
      if (entries.length === 0) return
      opened ??= await open(state, wanted)
      if (opened === 'unavailable') return
      try {
        for (const { level, text, details } of entries) opened.logger[level](details, text)
        log.path = opened.path
      } catch (error) {
        // A full disk is treated like a file that cannot be opened.
        if (!(error instanceof RethreadError)) throw error
        opened = 'unavailable'
      }
    },
  }
  return log
}

interface Opened {
  path: string
  logger: Logger
}

/** Most runs log nothing, so the file and the logger are created on first use. */
async function open(state: string, level: string): Promise<Opened | 'unavailable'> {
  try {
    const file = openLogFile(state)
    const { pino } = await import('pino')
    return { path: file.path, logger: pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, file) }
  } catch (error) {
    // An unwritable state folder does not stop the reading. Every other error does.
    if (error instanceof RethreadError) return 'unavailable'
    throw error
  }
}

function placeKey(place: Place): string {
  return 'table' in place ? `${place.file} ${place.table} ${place.row}` : `${place.file} ${place.start}`
}
