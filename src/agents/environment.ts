// Whose home the stores are looked for in, and which variables may move them.
import { posix, win32 } from 'node:path'

export type Platform = 'linux' | 'darwin' | 'win32'

export interface Environment {
  home: string
  platform: Platform
  /** Variables such as XDG_DATA_HOME. Empty where a home was given by hand: it stands for itself alone. */
  variables: Record<string, string | undefined>
  /** Where rethread was started: a store can lie in the folder that a person works in. Absent where a home was given by hand, and that folder is not in it. */
  folder?: string
  /** Nothing above this folder is looked at: a home that was given by hand. */
  top?: string
}

/** For a thread: `process.env` is not a plain object and cannot be cloned. */
export function plainEnvironment(environment: Environment): Environment {
  return { ...environment, variables: { ...environment.variables } }
}

export function variable(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name]
  return value === undefined || value === '' ? undefined : value
}

/** Joins in the manner of the platform the environment describes, which in a test need not be the one we run on. */
export function inHome(environment: Environment, ...names: string[]): string {
  return joinIn(environment, environment.home, ...names)
}

export function joinIn(environment: Environment, ...names: string[]): string {
  return (environment.platform === 'win32' ? win32 : posix).join(...names)
}

export function dataFolder(environment: Environment): string {
  return variable(environment, 'XDG_DATA_HOME') ?? inHome(environment, '.local', 'share')
}

export function configFolder(environment: Environment): string {
  return variable(environment, 'XDG_CONFIG_HOME') ?? inHome(environment, '.config')
}

export function stateHome(environment: Environment): string {
  return variable(environment, 'XDG_STATE_HOME') ?? inHome(environment, '.local', 'state')
}

/** `~/Library/Application Support` and its counterparts, where desktop programs keep their data. */
export function applicationSupport(environment: Environment): string {
  switch (environment.platform) {
    case 'linux':
      return configFolder(environment)
    case 'darwin':
      return inHome(environment, 'Library', 'Application Support')
    case 'win32':
      return variable(environment, 'APPDATA') ?? inHome(environment, 'AppData', 'Roaming')
  }
}

export function localApplicationData(environment: Environment): string {
  return variable(environment, 'LOCALAPPDATA') ?? inHome(environment, 'AppData', 'Local')
}
