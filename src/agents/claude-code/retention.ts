// When the agent deletes old transcripts: at a start, those whose file was not written for `cleanupPeriodDays`.
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
/** There is no "for ever": 0 is refused, and in earlier versions deleted everything. A hundred years will do. */
const KEEP_ALL = `"${NAME}": 36500`

/** The person's own settings. Those of a project or of an organisation can say otherwise for a session; we do not look at them. */
export function retention(environment: Environment): Retention {
  const file = settingsFile(environment)
  const { values, failure } = readSettings(AGENT, file)
  const common = { countsFrom: 'file', file, setting: KEEP_ALL } as const
  const assumed = { ...common, days: DEFAULT_DAYS, isDefault: true }
  // 2.1.325 deletes nothing while its settings do not parse; 2.1.25 goes by the default.
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

/** One that may not be looked at is there: reading it says why not. */
function isThere(file: string): boolean {
  try {
    return exists(file)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return true
  }
}
