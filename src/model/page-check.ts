// Damage of a database as a file, independent of its tables.

export interface PageCheck {
  problems: PageProblem[]
  /** Why nothing can be saved of it. Absent if something can. */
  refused?: string
  /** What a rebuild could not save, in words for a person. */
  losses?: string[]
  /** Rows that a rebuild restores from other tables. */
  filled?: number
}

/** A range of the file, and SQLite's message about it. */
export interface PageProblem {
  text: string
  start: number
  end: number
}

export const SOUND: PageCheck = { problems: [] }
