// What the parts of one run share.
import type { SanitizeOptions, SanitizeReport } from '../../sanitizer.ts'
import type { Workspace } from '../roots.ts'
import type { Donor } from './config-sources.ts'
import { Quarantine } from './quarantine.ts'

export interface Job {
  workspace: Workspace
  options: Pick<SanitizeOptions, 'environment' | 'state' | 'decide' | 'salvage' | 'force' | 'signal'>
  /** Conversations whose config could stand in for another's. */
  donors: readonly Donor[]
  report: SanitizeReport
  quarantine: Quarantine
}

export function makeJob(parts: Omit<Job, 'quarantine'>): Job {
  return { ...parts, quarantine: new Quarantine() }
}
