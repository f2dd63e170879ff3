// Replies to requests of agents. The rules of a session decide first. After an "always",
// the same permission is granted automatically when the agent asks for it again in the
// session. What else it covers is up to the agent.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, OwnClientSide } from '../../journal/client/index.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { notFound } from '../errors.ts'
import { decide, type PermissionRule } from '../permission-rules.ts'
import type { OpenRequest } from '../projection/open-requests.ts'
import { answerPermission, readOptions, subjectOf } from '../projection/permissions.ts'
import { answerQuestion, rejectQuestion } from '../projection/questions.ts'
import type { SessionView } from '../projection/session-view.ts'
import type { Views } from '../projection/views.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { PermissionReply, QuestionAnswers } from '../shapes/request.ts'

/**
 * How long to wait until a published request can be answered, and again until its answer is in the journal.
 */
const MAX_REPLY_MS = 5000
const POLL_EVERY_MS = 5

export interface RepliesOptions {
  clientSide: OwnClientSide
  views: Views
  /** Reports the failure of an automatic reply. */
  onBackgroundError(error: unknown): void
}

export class Replies {
  readonly #options: RepliesOptions
  /** What an "always" was said to, by journal id, until the server stops. */
  readonly #always = new Map<string, Set<string>>()
  /** Requests that rules have decided, until the answer is in the journal. */
  readonly #decided = new Set<string>()

  constructor(options: RepliesOptions) {
    this.#options = options
  }

  /** `session`: the wire id, if the client names it. Throws `not-found` where no such request is open. */
  async permission(id: string, reply: PermissionReply, session?: string): Promise<void> {
    const { view, asked } = this.#find(id, 'permission', session)
    await this.#grant(view, asked, reply)
    if (reply !== 'always' || asked.type !== 'permission') return
    const { id: sessionId } = view.session
    this.#always.set(sessionId, (this.#always.get(sessionId) ?? new Set()).add(subjectOf(asked.request)))
  }

  async question(id: string, answers: QuestionAnswers): Promise<void> {
    const { view, asked } = this.#find(id, 'question')
    await this.#answer(view, asked, answerQuestion(asked.question, answers))
  }

  async rejectQuestion(id: string): Promise<void> {
    const { view, asked } = this.#find(id, 'question')
    await this.#answer(view, asked, rejectQuestion(asked.question))
  }

  /** Whether rules have decided the request: no person is asked. */
  isDecided(id: string): boolean {
    return this.#decided.has(id)
  }

  /**
   * Answers what the rules of the session decide. Returns the events to publish, without the requests that no
   * person is asked.
   */
  applyRules(view: SessionView, events: readonly OpenCodeEvent[]): OpenCodeEvent[] {
    return events.filter(event => {
      if (event.type !== 'permission.asked' && event.type !== 'question.asked') return true
      const asked = view.findRequest(event.properties.id)
      const action = asked === undefined ? 'ask' : decideOn(view, asked)
      if (asked === undefined || action === 'ask') return true
      this.#decided.add(asked.request.id)
      this.#decide(view, asked, action)
        .catch(this.#options.onBackgroundError)
        .finally(() => this.#decided.delete(asked.request.id))
      return false
    })
  }

  /** Grants what an "always" covers. Returns whether a request is left for a person. */
  noteRequests(view: SessionView, events: readonly OpenCodeEvent[]): boolean {
    let isLeft = false
    for (const event of events) {
      if (event.type === 'question.asked') isLeft = true
      if (event.type !== 'permission.asked') continue
      const asked = view.findRequest(event.properties.id)
      if (asked?.type === 'permission' && this.#always.get(view.session.id)?.has(subjectOf(asked.request)) === true)
        this.#grant(view, asked, 'always').catch(this.#options.onBackgroundError)
      else isLeft = true
    }
    return isLeft
  }

  forget(sessionId: string): void {
    this.#always.delete(sessionId)
  }

  #find(id: string, type: OpenRequest['type'], session?: string): { view: SessionView; asked: OpenRequest } {
    const found = this.#options.views.findRequest(id)
    const isHere = session === undefined || found?.view.id === session
    if (found === undefined || found.asked.type !== type || !isHere) throw nothingWaits(id)
    return found
  }

  /** The agent may have been cancelled meanwhile, which answers the request too. */
  async #decide(view: SessionView, asked: OpenRequest, action: 'allow' | 'deny'): Promise<void> {
    try {
      if (asked.type === 'question') await this.#answer(view, asked, rejectQuestion(asked.question))
      else await this.#grant(view, asked, action === 'allow' ? 'once' : 'reject')
    } catch (error) {
      if (!hasErrorCode(error, 'not-found')) throw error
    }
  }

  async #grant(view: SessionView, asked: OpenRequest, reply: PermissionReply): Promise<void> {
    const answer = answerPermission(asked.question, reply)
    view.expectReply(asked.request.id, reply)
    await this.#answer(view, asked, answer)
  }

  /** Resolves when the answer is in the journal, so that the request is no longer listed. */
  async #answer({ session }: SessionView, { question, request }: OpenRequest, answer: Answer): Promise<void> {
    const { clientSide, views } = this.#options
    const isOpen = (): boolean => views.findRequest(request.id) !== undefined
    const canAnswer = (): boolean => clientSide.waiting(session.id).some(({ key }) => key === question.key)
    // A request is published when it is journalled, a moment before it can be answered.
    await until(() => canAnswer() || !isOpen())
    try {
      clientSide.answer(question.key, answer)
    } catch (error) {
      if (hasErrorCode(error, 'not-found')) throw nothingWaits(request.id)
      throw error
    }
    await until(() => !isOpen())
  }
}

const QUESTION = 'question'
const ANYTHING = '*'

/** Only a person can answer a question, so a rule can deny it and not allow it. */
function decideOn({ metadata, directory }: SessionView, asked: OpenRequest): PermissionRule['action'] {
  const rules = metadata.permission ?? []
  if (rules.length === 0) return 'ask'
  if (asked.type === 'question') return decide(rules, QUESTION, [[ANYTHING]]) === 'deny' ? 'deny' : 'ask'
  const { permission, patterns } = asked.request
  const names = patterns.map(pattern => namesOf(pattern, directory))
  const action = decide(rules, permission, names)
  // A rule allows once. Where the agent only offers more, a person decides.
  const canAllow = readOptions(asked.question).some(({ kind }) => kind === 'allow_once')
  return action === 'allow' && !canAllow ? 'ask' : action
}

/** Clients write paths below the folder of the session, agents write absolute ones. */
function namesOf(pattern: string, directory: string): string[] {
  const folder = directory.endsWith('/') ? directory : `${directory}/`
  return pattern.startsWith(folder) ? [pattern, pattern.slice(folder.length)] : [pattern]
}

async function until(isSo: () => boolean): Promise<void> {
  for (const deadline = performance.now() + MAX_REPLY_MS; !isSo() && performance.now() < deadline; )
    await sleep(POLL_EVERY_MS)
}

function nothingWaits(id: string) {
  return notFound(`The question ${id} is no longer open: it was answered or cancelled, or its agent has ended.`)
}
