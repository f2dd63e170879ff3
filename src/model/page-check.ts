// What is wrong with a database as a file, whatever its tables hold.

export interface PageCheck {
  problems: PageProblem[]
  /** Why nothing can be saved of it; absent where something can. */
  refused?: string
  /** What a rebuild could not save, in words for a person. */
  losses?: string[]
  /** Rows that a rebuild puts in again from other tables. */
  filled?: number
}

/** A range of the file, and what SQLite says of it. */
export interface PageProblem {
  text: string
  start: number
  end: number
}

export const SOUND: PageCheck = { problems: [] }
