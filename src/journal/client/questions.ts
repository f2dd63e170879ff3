// What an agent asks a person, kept until somebody answers, or nobody will.
import { RequestError } from '@agentclientprotocol/sdk'
import { RethreadError } from '../../model/errors.ts'
import type { Asked } from './asked.ts'
import type { AgentRequest, Answer, Waiting } from './client-side.ts'
import { MAX_QUESTIONS_PER_SESSION } from './limits.ts'
import { tooMany, unlessCancelled } from './refusals.ts'

interface Question extends Asked {
  sessionId: string
  params: unknown
  settle(result: unknown): void
}

export class Questions {
  readonly #waiting = new Map<string, Question>()

  /** It can be answered as soon as this returns its promise. */
  async ask({ sessionId, key, params, signal }: AgentRequest, asked: Asked): Promise<unknown> {
    if (this.#waiting.has(key)) throw RequestError.invalidRequest({ key }, 'a question with this number is still open')
    if (this.waiting(sessionId).length >= MAX_QUESTIONS_PER_SESSION)
      throw tooMany('questions that wait', MAX_QUESTIONS_PER_SESSION)
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const question: Question = { ...asked, sessionId, params, settle: resolve }
    this.#waiting.set(key, question)
    try {
      return await unlessCancelled(promise, signal)
    } finally {
      // Another one may already have come under this key.
      if (this.#waiting.get(key) === question) this.#waiting.delete(key)
    }
  }

  answer(key: string, answer: Answer): void {
    const question = this.#waiting.get(key)
    if (question === undefined) throw nothingWaits(key)
    const result = question.resultOf(answer)
    this.#waiting.delete(key)
    question.settle(result)
  }

  waiting(sessionId: string): readonly Waiting[] {
    return [...this.#waiting]
      .filter(([, question]) => question.sessionId === sessionId)
      .map(([key, { type, params }]) => ({ key, type, params }))
  }

  cancel(sessionId: string): void {
    for (const { key } of this.waiting(sessionId)) this.answer(key, { type: 'cancelled' })
  }

  close(): void {
    for (const key of [...this.#waiting.keys()]) this.answer(key, { type: 'cancelled' })
  }
}

function nothingWaits(key: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `The question ${key} is no longer open: it was answered or cancelled, or its agent has ended.`,
    hint: 'Reload the conversation to see which questions are open.',
  })
}
