// What reading a folder left out, and why. The answers are bare lists, so a header says it.

export type SkippedFileReason = 'binary' | 'large' | 'long-line' | 'unreadable'
export type Limit = 'entries' | 'matches' | 'bytes' | 'time'

export interface LeftOut {
  skipped: Partial<Record<SkippedFileReason, number>>
  /** Which limits ended the look before its end. */
  cut: Limit[]
}

export const NOTHING_LEFT_OUT: LeftOut = { skipped: {}, cut: [] }

export const SKIPPED_HEADER = 'x-rethread-skipped'
export const CUT_HEADER = 'x-rethread-cut'

/** None for a look that saw everything. */
export function headersOf({ skipped, cut }: LeftOut): Record<string, string> {
  const counts = Object.entries(skipped).filter(([, count]) => count > 0)
  return {
    ...(counts.length === 0 ? {} : { [SKIPPED_HEADER]: counts.map(([why, count]) => `${why}=${count}`).join(', ') }),
    ...(cut.length === 0 ? {} : { [CUT_HEADER]: cut.join(', ') }),
  }
}
