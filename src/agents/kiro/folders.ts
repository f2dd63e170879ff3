// Where Kiro's command line agent stores its files.
import type { Environment } from '../environment.ts'
import { inHome, variable } from '../environment.ts'

export function kiroHome(environment: Environment): string {
  return variable(environment, 'KIRO_HOME') ?? inHome(environment, '.kiro')
}
