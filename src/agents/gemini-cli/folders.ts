// Where the agent stores its files.
import type { Environment } from '../environment.ts'
import { inHome, joinIn, variable } from '../environment.ts'

export function agentFolder(environment: Environment): string {
  const home = variable(environment, 'GEMINI_CLI_HOME')
  return home === undefined ? inHome(environment, '.gemini') : joinIn(environment, home, '.gemini')
}
