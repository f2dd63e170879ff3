// What the page knows about its server: agents, home folder, demo or not. Requested at every connection.
import { useCallback } from 'react'
import type { ApiAgent, ServerInfo } from '../../../src/server/protocol.ts'
import { ApiFailure, api } from '../state/api.ts'
import { makeStore, useStore } from '../state/store.ts'
import { cleanLine, cleanText } from './clean.ts'

export const serverInfo = makeStore<ServerInfo | null>(null)
export const agents = makeStore<readonly ApiAgent[]>([])
/** Why the request failed. */
export const serverFailure = makeStore<ApiFailure | null>(null)

export async function loadServerInfo(): Promise<void> {
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

/** Returns a function, for a list with many agents. */
export function useAgentTitles(): (agent: string) => string {
  const known = useStore(agents)
  return useCallback(agent => cleanLine(known.find(({ id }) => id === agent)?.title ?? agent), [known])
}

export function useAgentTitle(agent: string): string {
  return useAgentTitles()(agent)
}

/** Replaces the home folder with a tilde. */
export function useShortPath(): (path: string) => string {
  const home = useStore(serverInfo)?.home
  return useCallback(path => cleanLine(home === undefined ? path : shortenHome(path, home)), [home])
}

/** Replaces the home folder in the middle of a text. */
export function useShortText(): (text: string) => string {
  const home = useStore(serverInfo)?.home
  return useCallback(
    text => (home === undefined ? cleanText(text) : cleanText(text).replaceAll(`${cleanText(home)}/`, '~/')),
    [home],
  )
}

export function shortenHome(path: string, home: string): string {
  if (path === home) return '~'
  const isBelow = path.startsWith(home) && /^[/\\]/.test(path.slice(home.length))
  return isBelow ? `~${path.slice(home.length)}` : path
}
