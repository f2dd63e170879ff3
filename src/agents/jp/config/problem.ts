// What is wrong with a configuration that a person wrote. It is told, and the rest is taken all the same.
import { RethreadError } from '../../../model/errors.ts'

/** A file of configuration, or a setting in one, that cannot be taken. */
export class ConfigProblem extends Error {}

/** What is said of a file that is broken or cannot be read. Everything else is a failure of ours, and thrown on. */
export function problemText(error: unknown): string {
  if (error instanceof ConfigProblem || error instanceof RethreadError) return error.message
  throw error
}
