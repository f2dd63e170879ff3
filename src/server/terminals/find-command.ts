// Finds the program before anything is started: a PTY would only show a screen that ends at once.
import type { Variables } from '../../disk/processes/find-command.ts'
import { locateProgram } from '../../disk/processes/start-program.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'
import type { FoundProgram, Program } from '../../model/program.ts'

/** The program by its whole path. */
export function findProgram(program: Program, folder: string, variables: Variables): FoundProgram {
  const found = locateProgram(program, folder, variables)
  if (found !== undefined) return found
  throw new RethreadError({
    code: 'unsupported',
    text: `${program.command} is not installed, or not on the PATH.`,
    hint: `Check whether it is installed: which ${quote(program.command)}`,
  })
}
