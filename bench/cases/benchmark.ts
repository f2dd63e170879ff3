// One benchmark: a name to ask for, and what it measures.
import type { Program } from '../measure/program.ts'
import type { Row } from '../measure/report.ts'

export interface Benchmark {
  name: string
  /** Runs only where it is named. */
  isOnDemand?: boolean
  /** Rows are given one by one, because each takes a while. */
  run(setting: Setting): Iterable<Row>
}

export interface Setting {
  program: Program
  /** A temporary folder that is removed at the end. */
  folder: string
  isQuick: boolean
  /** How often each thing is measured. */
  rounds: number
}
