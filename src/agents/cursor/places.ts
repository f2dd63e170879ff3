// Cursor's folders: of the command line agent, and of the editor.
import { basename, dirname, sep } from 'node:path'
import type { Environment } from '../environment.ts'
import { applicationSupport, inHome, joinIn, variable } from '../environment.ts'

export const AGENT = 'cursor'

/** `~/.cursor`: the chat databases of the command line agent, and the transcripts of both. */
export function agentFolder(environment: Environment): string {
  const moved = variable(environment, 'CURSOR_DATA_DIR') ?? variable(environment, 'CURSOR_CONFIG_DIR')
  return moved ?? inHome(environment, '.cursor')
}

export function chatsFolder(environment: Environment): string {
  return joinIn(environment, agentFolder(environment), 'chats')
}

export function projectsFolder(environment: Environment): string {
  return joinIn(environment, agentFolder(environment), 'projects')
}

/** The editor's own folder, as in VS Code. */
export function userFolder(environment: Environment): string {
  return joinIn(environment, applicationSupport(environment), 'Cursor', 'User')
}

export function workspaceStorage(environment: Environment): string {
  return joinIn(environment, userFolder(environment), 'workspaceStorage')
}

export function globalState(environment: Environment): string {
  return joinIn(environment, userFolder(environment), 'globalStorage', 'state.vscdb')
}

export const TRANSCRIPTS = 'agent-transcripts'

/** The dashed name of a transcript's project. Undefined for a copy in another folder. */
export function dashedProject(transcript: string): string | undefined {
  let folder = dirname(transcript)
  while (folder !== dirname(folder)) {
    if (basename(folder) === TRANSCRIPTS) return basename(dirname(folder))
    folder = dirname(folder)
  }
  return undefined
}

/** The path of a `file:` URL. Undefined for one of another machine. */
export function pathOfUri(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined
  const url = new URL(uri)
  if (url.protocol !== 'file:' || url.host !== '') return undefined
  const path = decode(url.pathname)
  // file:///c%3A/work names C:\work.
  return path !== undefined && /^\/[a-z]:/i.test(path) ? path.slice(1).replaceAll('/', sep) : path
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
