// The home in which stores are searched, and the variables that may move them.
import { posix, win32 } from 'node:path'

export type Platform = 'linux' | 'darwin' | 'win32'

export interface Environment {
  home: string
  platform: Platform
  /** Variables such as XDG_DATA_HOME. Empty for a home that a person gave: no variable moves its stores. */
  variables: Record<string, string | undefined>
  /**
   * The folder in which rethread was started: a store can be in the person's working folder. Absent if a home
   * was given and the folder is not inside it.
   */
  folder?: string
  /** The home that a person gave. Nothing above this folder is read. */
  top?: string
  /** The home can be a copy from another system: stores are searched in the layouts of all three. */
  anyLayout?: boolean
  /** How paths are joined, if the layout is that of another system. */
  pathsOf?: Platform
}

const PLATFORMS: readonly Platform[] = ['linux', 'darwin', 'win32']

/** The same home in the layout of each system that it may come from, that of this system first. */
export function layoutsOf(environment: Environment): Environment[] {
  if (environment.anyLayout !== true) return [environment]
  const { platform, pathsOf = platform } = environment
  const others = PLATFORMS.filter(other => other !== platform)
  return [environment, ...others.map(other => ({ ...environment, platform: other, pathsOf }))]
}

/** For a thread: `process.env` is not a plain object and cannot be cloned. */
export function plainEnvironment(environment: Environment): Environment {
  return { ...environment, variables: { ...environment.variables } }
}

export function variable(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name]
  return value === undefined || value === '' ? undefined : value
}

/**
 * Joins names by the rules of the described platform. In a test it may differ from the platform of this
 * process.
 */
export function inHome(environment: Environment, ...names: string[]): string {
  return joinIn(environment, environment.home, ...names)
}

export function joinIn(environment: Environment, ...names: string[]): string {
  return ((environment.pathsOf ?? environment.platform) === 'win32' ? win32 : posix).join(...names)
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

/** `~/Library/Application Support` and its counterparts, where desktop programs store their data. */
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
