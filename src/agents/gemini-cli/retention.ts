// When the agent deletes old sessions: when it starts in their project, those whose last recorded change is
// older than `maxAge`.
import type { Retention } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { joinIn } from '../environment.ts'
import { readSettings } from '../stores/settings.ts'
import { asObject } from '../stores/values.ts'
import { agentFolder } from './sessions.ts'

const AGENT = 'gemini-cli'
const DEFAULT_AGE = '30d'
const DEFAULT_LEAST = '1d'
const DAYS: Record<string, number> = { h: 1 / 24, d: 1, w: 7, m: 30 }
const KEEP_ALL = '"general": { "sessionRetention": { "enabled": false } }'

/**
 * Reads the person's own settings. Settings of a project or of the system can override them; rethread does
 * not read those. Undefined if the clean-up is off: by the setting, by contradictory settings, or if only the
 * number of sessions is limited. Versions of 2025 deleted only on request. Which version runs next is not
 * known, so the default is assumed.
 */
export function retention(environment: Environment): Retention | undefined {
  const file = joinIn(environment, agentFolder(environment), 'settings.json')
  const { values, failure } = readSettings(AGENT, file, { hasComments: true })
  const wanted = asObject(asObject(values['general'])?.['sessionRetention']) ?? {}
  const age = wanted['maxAge'] ?? DEFAULT_AGE
  const days = parseDays(age)
  if (!(wanted['enabled'] ?? true) || days === undefined) return undefined
  if (days < (parseDays(wanted['minRetention']) ?? parseDays(DEFAULT_LEAST) ?? 0)) return undefined
  const count = wanted['maxCount']
  if (typeof count === 'number' && count < 1) return undefined
  return {
    days,
    countsFrom: 'conversation',
    file,
    setting: KEEP_ALL,
    isDefault: wanted['maxAge'] === undefined,
    ...(failure === undefined ? {} : { failure }),
  }
}

function parseDays(period: unknown): number | undefined {
  const [, amount = '', unit = ''] = typeof period === 'string' ? (/^(\d+)([hdwm])$/.exec(period) ?? []) : []
  const days = Number(amount) * (DAYS[unit] ?? 0)
  return days > 0 ? days : undefined
}
