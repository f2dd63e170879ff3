// The home and the state folder, without the agents: loading those takes longer than some commands run.
import { homedir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import type { Environment, Platform } from '../agents/environment.ts'
import { inHome, joinIn, localApplicationData, stateHome, variable } from '../agents/environment.ts'
import { exists, realPath } from '../disk/files/read.ts'

export interface Place {
  environment: Environment
  /** The state folder of rethread. */
  state: string
}

export function makePlace(options: { home?: string; state?: string }): Place {
  const environment = makeEnvironment(options.home)
  return { environment, state: resolve(options.state ?? process.env['RETHREAD_STATE_DIR'] ?? stateOf(environment)) }
}

function makeEnvironment(home: string | undefined): Environment {
  return {
    home: home === undefined ? homedir() : resolve(home),
    platform: supportedPlatform(),
    variables: home === undefined ? process.env : {},
    ...(home === undefined ? startedIn() : { ...startedBelow(home), anyLayout: true }),
  }
}

/** Compares with the real path of the home, because the system reports the current folder as a real path. */
function startedBelow(home: string): Pick<Environment, 'folder' | 'top'> {
  const { folder } = startedIn()
  if (folder === undefined || !exists(home)) return {}
  const top = realPath(home)
  const inside = relative(top, folder)
  return inside.startsWith('..') || isAbsolute(inside) ? {} : { folder, top }
}

/** The current folder may have been removed. */
function startedIn(): Pick<Environment, 'folder'> {
  try {
    return { folder: process.cwd() }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

function supportedPlatform(): Platform {
  const { platform } = process
  // Other Unix systems place files as Linux does.
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux'
}

function stateOf(environment: Environment): string {
  switch (environment.platform) {
    case 'linux':
      return joinIn(environment, stateHome(environment), 'rethread')
    case 'darwin':
      return variable(environment, 'XDG_STATE_HOME') === undefined
        ? inHome(environment, 'Library', 'Application Support', 'rethread')
        : joinIn(environment, stateHome(environment), 'rethread')
    case 'win32':
      return joinIn(environment, localApplicationData(environment), 'rethread')
  }
}
