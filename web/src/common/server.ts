// What the page knows of its server: the agents with their titles, the home folder, whether it is a demo. Asked for at every connection.
import { useCallback } from 'react'
import type { ApiAgent, ServerInfo } from '../../../src/server/protocol.ts'
import { ApiFailure, api } from '../state/api.ts'
import { makeStore, useStore } from '../state/store.ts'
import { cleanLine } from './clean.ts'

export const serverInfo = makeStore<ServerInfo | null>(null)
export const agents = makeStore<readonly ApiAgent[]>([])
/** Why neither is known. */
export const serverFailure = makeStore<ApiFailure | null>(null)

export async function askServer(): Promise<void> {
  try {
    const [info, known] = await Promise.all([api.info(), api.agents()])
    serverInfo.set(info)
    agents.set(known.agents)
    serverFailure.set(null)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    serverFailure.set(error)
  }
}

/** A function rather than a name, for a list of many agents. */
export function useAgentTitles(): (agent: string) => string {
  const known = useStore(agents)
  return useCallback(agent => cleanLine(known.find(({ id }) => id === agent)?.title ?? agent), [known])
}

export function useAgentTitle(agent: string): string {
  return useAgentTitles()(agent)
}

/** A folder below the home is shown with a tilde. */
export function useShortPath(): (path: string) => string {
  const home = useStore(serverInfo)?.home
  return useCallback(path => cleanLine(home === undefined ? path : shortenHome(path, home)), [home])
}

export function shortenHome(path: string, home: string): string {
  if (path === home) return '~'
  const isBelow = path.startsWith(home) && /^[/\\]/.test(path.slice(home.length))
  return isBelow ? `~${path.slice(home.length)}` : path
}
