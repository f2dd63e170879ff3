// The open permissions and questions, by the id that clients know.
import type { AgentQuestion, QuestionEnd } from '../../journal/conversation/changes.ts'
import { permissionId, questionId } from '../ids.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { PermissionReply, PermissionRequest, QuestionRequest } from '../shapes/request.ts'
import { makePermission, type RequestContext, replyIn } from './permissions.ts'
import { answersIn, makeQuestion } from './questions.ts'

export type OpenRequest =
  | { type: 'permission'; question: AgentQuestion; request: PermissionRequest }
  | { type: 'question'; question: AgentQuestion; request: QuestionRequest }

export class OpenRequests {
  readonly #byKey = new Map<string, OpenRequest>()
  /** The reply that a client is about to give. The agent may have no matching option. */
  readonly #expected = new Map<string, PermissionReply>()

  get size(): number {
    return this.#byKey.size
  }

  ask(question: AgentQuestion, seq: number, context: Omit<RequestContext, 'id'>): OpenCodeEvent {
    const { key } = question
    if (question.type === 'permission') {
      const request = makePermission(question, { ...context, id: permissionId(key, seq) })
      this.#byKey.set(key, { type: 'permission', question, request })
      return { type: 'permission.asked', properties: request }
    }
    const request = makeQuestion(question, { ...context, id: questionId(key, seq) })
    this.#byKey.set(key, { type: 'question', question, request })
    return { type: 'question.asked', properties: request }
  }

  expectReply(id: string, reply: PermissionReply): void {
    if (this.find(id)?.type === 'permission') this.#expected.set(id, reply)
  }

  settle(key: string, end: QuestionEnd, answer: unknown): OpenCodeEvent[] {
    const asked = this.#byKey.get(key)
    if (asked === undefined) return []
    this.#byKey.delete(key)
    const { id: requestID, sessionID } = asked.request
    if (asked.type === 'permission') {
      const said = replyIn(asked.question, answer)
      const expected = this.#expected.get(requestID)
      this.#expected.delete(requestID)
      // The journal decides. Only "once" may stand for an "always" that the agent does not offer.
      const reply = said === 'once' && expected === 'always' ? expected : said
      const older = { permissionID: requestID, response: reply }
      return [{ type: 'permission.replied', properties: { sessionID, requestID, reply, ...older } }]
    }
    const answers = end === 'answered' ? answersIn(asked.question, answer) : undefined
    if (answers === undefined) return [{ type: 'question.rejected', properties: { sessionID, requestID } }]
    return [{ type: 'question.replied', properties: { sessionID, requestID, answers } }]
  }

  find(id: string): OpenRequest | undefined {
    return [...this.#byKey.values()].find(({ request }) => request.id === id)
  }

  permissions(): PermissionRequest[] {
    return [...this.#byKey.values()].flatMap(asked => (asked.type === 'permission' ? [asked.request] : []))
  }

  questions(): QuestionRequest[] {
    return [...this.#byKey.values()].flatMap(asked => (asked.type === 'question' ? [asked.request] : []))
  }
}
