// Which part of a conversation `show` prints.

import type { Context } from '../../catalog/context.ts'
import { readSession } from '../../catalog/reading.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Message } from '../../model/message.ts'
import { paste } from '../../model/paste.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'

export interface ShowOptions {
  isFull: boolean
  branch: string | undefined
  /** Only this many messages, from the end. */
  limit: number | undefined
  /** Milliseconds since 1970. */
  since: number | undefined
  /** From this message on, and a few before it. Messages are counted from 1. */
  atMessage: number | undefined
}

/** Messages shown before the one that was asked for. */
const BEFORE_MESSAGE = 2

/** Reads a session and yields only the messages that the options select. */
export function readSelected(context: Context, session: SessionRef, options: ShowOptions, busyMs?: number): Reading {
  const reading = readSession(context, session, {
    ...(options.branch === undefined ? {} : { branch: options.branch }),
    ...(busyMs === undefined ? {} : { busyMs }),
  })
  const isAll = options.branch === undefined && options.limit === undefined && options.since === undefined
  if (options.atMessage !== undefined) return fromMessage(reading, session, options, options.atMessage)
  return isAll ? reading : select(reading, session, options)
}

async function* fromMessage(reading: Reading, session: SessionRef, { limit }: ShowOptions, wanted: number): Reading {
  const numbers = new Map<string, number>()
  for (;;) {
    const step = await reading.next()
    if (step.done) {
      if (wanted > numbers.size) throw noSuchMessage(wanted, numbers.size, session)
      return step.value
    }
    const number = numbers.get(step.value.id) ?? numbers.size + 1
    numbers.set(step.value.id, number)
    if (number >= wanted - BEFORE_MESSAGE && number < wanted + (limit ?? Number.POSITIVE_INFINITY)) yield step.value
  }
}

async function* select(reading: Reading, session: SessionRef, options: ShowOptions): Reading {
  const last: Message[] = []
  let isEmpty = true
  for (;;) {
    const step = await reading.next()
    if (step.done) {
      if (options.branch !== undefined && isEmpty) throw noSuchBranch(options.branch, session)
      yield* last
      return step.value
    }
    isEmpty = false
    if (options.since !== undefined && Date.parse(step.value.time ?? '') < options.since) continue
    if (options.limit === undefined) yield step.value
    else if (last.push(step.value) > options.limit) last.shift()
  }
}

function noSuchBranch(branch: string, session: SessionRef): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `The session has no branch "${branch}".`,
    hint: `Its branches are listed at the end of: ${paste('rethread show', session.sessionId)}`,
  })
}

function noSuchMessage(wanted: number, total: number, session: SessionRef): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `The session has no message ${wanted}: it has ${total}.`,
    hint: `Show its last messages: ${paste('rethread show --limit 20', session.sessionId)}`,
  })
}
