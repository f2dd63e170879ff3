// What a request left out of a folder, and why. The answers are bare lists, so a header reports it.

export type SkippedFileReason = 'binary' | 'large' | 'long-line' | 'unreadable'
export type Limit = 'entries' | 'matches' | 'bytes' | 'time'

export interface LeftOut {
  skipped: Partial<Record<SkippedFileReason, number>>
  /** The limits that ended the request early. */
  limits: Limit[]
}

export const NOTHING_LEFT_OUT: LeftOut = { skipped: {}, limits: [] }

export const SKIPPED_HEADER = 'x-rethread-skipped'
export const CUT_HEADER = 'x-rethread-cut'

/** Empty if nothing was left out. */
export function headersOf({ skipped, limits }: LeftOut): Record<string, string> {
  const counts = Object.entries(skipped).filter(([, count]) => count > 0)
  return {
    ...(counts.length === 0 ? {} : { [SKIPPED_HEADER]: counts.map(([why, count]) => `${why}=${count}`).join(', ') }),
    ...(limits.length === 0 ? {} : { [CUT_HEADER]: limits.join(', ') }),
  }
}
