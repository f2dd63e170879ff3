// rethread's own client side for an agent: files and terminals in the folders of a session, and questions to
// a person.
import { CLIENT_METHODS, RequestError } from '@agentclientprotocol/sdk'
import type { Variables } from '../../disk/processes/find-command.ts'
import type { AgentRequest, OwnClientSide } from './client-side.ts'
import { throwIfCancelled, toRequestError } from './errors.ts'
import { readTextFile, writeTextFile } from './files.ts'
import { END_GRACE_MS } from './limits.ts'
import { Questions, readPermission, readQuestion } from './questions.ts'
import { Terminals } from './terminals.ts'

export type { AgentRequest, Answer, ClientSide, OwnClientSide, Waiting } from './client-side.ts'

export interface ClientSideOptions {
  foldersOf(sessionId: string): Promise<readonly string[]>
  /** The environment of terminals. Default: this process's environment without rethread's variables. */
  variables?: Variables
  /** The time between asking processes to end and killing them. */
  endGraceMs?: number
}

export function makeClientSide(options: ClientSideOptions): OwnClientSide {
  const questions = new Questions()
  const terminals = new Terminals(options.variables ?? process.env, options.endGraceMs ?? END_GRACE_MS)
  const folders = new FolderLookups(options.foldersOf)
  let isClosed = false
  return {
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, elicitation: { form: {} } },
    async handle(request) {
      try {
        throwIfCancelled(request.signal)
        if (isClosed) throw RequestError.internalError(undefined, 'rethread is stopping')
        return await serve(request, { questions, terminals, folders })
      } catch (error) {
        throw toRequestError(error)
      }
    },
    answer: (key, answer) => questions.answer(key, answer),
    waiting: sessionId => questions.waiting(sessionId),
    cancel: sessionId => questions.cancel(sessionId),
    async release(sessionId) {
      folders.drop(sessionId)
      questions.cancel(sessionId)
      await terminals.releaseSession(sessionId)
    },
    async close() {
      isClosed = true
      folders.dropAll()
      questions.close()
      await terminals.close()
    },
  }
}

interface Served {
  questions: Questions
  terminals: Terminals
  folders: FolderLookups
}

/** A question is registered before this returns its promise: nothing is awaited first. */
async function serve(request: AgentRequest, { questions, terminals, folders }: Served): Promise<unknown> {
  switch (request.method) {
    case CLIENT_METHODS.session_request_permission:
      return questions.ask(request, readPermission(request.params))
    case CLIENT_METHODS.elicitation_create:
      return questions.ask(request, readQuestion(request.params))
    case CLIENT_METHODS.fs_read_text_file:
      return readTextFile(request.params, await folders.of(request), request.signal)
    case CLIENT_METHODS.fs_write_text_file:
      return writeTextFile(request.params, await folders.of(request))
    case CLIENT_METHODS.terminal_create:
      return terminals.create(request, await folders.of(request))
    case CLIENT_METHODS.terminal_output:
      return terminals.output(request)
    case CLIENT_METHODS.terminal_wait_for_exit:
      return terminals.waitForExit(request)
    case CLIENT_METHODS.terminal_kill:
      return terminals.kill(request)
    case CLIENT_METHODS.terminal_release:
      return terminals.release(request)
    default:
      throw RequestError.methodNotFound(request.method)
  }
}

interface FolderLookup {
  sessionId: string
  isDropped: boolean
}

/**
 * Looks up the folders of a session for a request. The request fails if the session is released meanwhile.
 */
class FolderLookups {
  readonly #foldersOf: (sessionId: string) => Promise<readonly string[]>
  readonly #lookups = new Set<FolderLookup>()

  constructor(foldersOf: (sessionId: string) => Promise<readonly string[]>) {
    this.#foldersOf = foldersOf
  }

  async of({ sessionId, signal }: AgentRequest): Promise<readonly string[]> {
    const lookup = { sessionId, isDropped: false }
    this.#lookups.add(lookup)
    try {
      const folders = await this.#foldersOf(sessionId)
      throwIfCancelled(signal)
      if (lookup.isDropped) throw RequestError.requestCancelled()
      return folders
    } finally {
      this.#lookups.delete(lookup)
    }
  }

  drop(sessionId: string): void {
    for (const lookup of this.#lookups) if (lookup.sessionId === sessionId) lookup.isDropped = true
  }

  dropAll(): void {
    for (const lookup of this.#lookups) lookup.isDropped = true
  }
}
