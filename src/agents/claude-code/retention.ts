// When the agent deletes old transcripts: at startup, those whose file was not written for
// `cleanupPeriodDays`.
import { exists } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Retention } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { joinIn } from '../environment.ts'
import { readSettings, settingFailure } from '../stores/settings.ts'
import { configFolders } from './folders.ts'

const AGENT = 'claude-code'
const NAME = 'cleanupPeriodDays'
const DEFAULT_DAYS = 30
/**
 * The setting has no "for ever": 0 is refused, and earlier versions deleted everything. 36500 days are a
 * hundred years.
 */
const KEEP_ALL = `"${NAME}": 36500`

/**
 * Reads the person's own settings. Settings of a project or an organisation can override them for a session;
 * rethread does not read those.
 */
export function retention(environment: Environment): Retention {
  const file = settingsFile(environment)
  const { values, failure } = readSettings(AGENT, file)
  const common = { countsFrom: 'file', file, setting: KEEP_ALL } as const
  const assumed = { ...common, days: DEFAULT_DAYS, isDefault: true }
  // 2.1.325 deletes nothing while its settings do not parse. 2.1.25 uses the default.
  if (failure !== undefined) return { ...assumed, failure }
  const days = values[NAME]
  if (days === undefined) return assumed
  if (typeof days === 'number' && Number.isInteger(days) && days > 0) return { ...common, days, isDefault: false }
  return { ...assumed, failure: settingFailure(AGENT, file, NAME, 'a whole number of days from 1') }
}

function settingsFile(environment: Environment): string {
  const files = configFolders(environment).map(folder => joinIn(environment, folder, 'settings.json'))
  const [first = ''] = files
  return files.find(isThere) ?? first
}

/** A file without permission to stat it exists: reading it says why it fails. */
function isThere(file: string): boolean {
  try {
    return exists(file)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return true
  }
}
