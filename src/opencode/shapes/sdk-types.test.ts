// Whether the shapes match the clients' own types. The compiler checks it; the one clash is written down.
import type * as Newest from 'opencode-sdk'
import type * as NewestV2 from 'opencode-sdk/v2'
import type * as First from 'opencode-sdk-first'
import type * as FirstV2 from 'opencode-sdk-first/v2'
import { expect, expectTypeOf, test } from 'vitest'
import type { EventOf, EventType } from './event.ts'
import type { Message, MessageError } from './message.ts'
import type { Part } from './part.ts'
import type { PermissionRequest, QuestionRequest } from './request.ts'
import {
  type FileDiff,
  type NativeSession,
  type Session,
  type SessionStatus,
  type Todo,
  toNativeSession,
} from './session.ts'

test('sessions, messages and parts are what all four entries of the SDKs expect', () => {
  expectTypeOf<Session>().toExtend<Newest.Session>()
  expectTypeOf<Session>().toExtend<First.Session>()
  expectTypeOf<Session>().toExtend<FirstV2.Session>()
  expectTypeOf<Message>().toExtend<Newest.Message>()
  expectTypeOf<Message>().toExtend<NewestV2.Message>()
  expectTypeOf<Message>().toExtend<First.Message>()
  expectTypeOf<Message>().toExtend<FirstV2.Message>()
  expectTypeOf<Part>().toExtend<Newest.Part>()
  expectTypeOf<Part>().toExtend<NewestV2.Part>()
  expectTypeOf<Part>().toExtend<First.Part>()
  expectTypeOf<Part>().toExtend<FirstV2.Part>()
  expectTypeOf<NonNullable<NewestV2.AssistantMessage['error']>>()
    .extract<{ name: 'UnknownError' }>()
    .toExtend<MessageError>()
})

/** The clash: a string for the reference flavour, an object for the newest SDK. Everything else of the session fits. */
test('only the model of a session is not what the newest SDK expects', () => {
  expectTypeOf<Omit<Session, 'model'>>().toExtend<Omit<NewestV2.Session, 'model'>>()
  expectTypeOf<Session>().not.toExtend<NewestV2.Session>()
  expectTypeOf<NativeSession>().toExtend<NewestV2.Session>()
  const session = { model: 'm', modelID: 'm', providerID: 'p' } as Session
  expect(toNativeSession(session).model).toEqual({ id: 'm', providerID: 'p' })
})

test('requests, diffs, todos and statuses are what the SDKs expect', () => {
  expectTypeOf<PermissionRequest>().toExtend<NewestV2.PermissionRequest>()
  expectTypeOf<PermissionRequest>().toExtend<FirstV2.PermissionRequest>()
  expectTypeOf<QuestionRequest>().toExtend<NewestV2.QuestionRequest>()
  expectTypeOf<QuestionRequest>().toExtend<FirstV2.QuestionRequest>()
  expectTypeOf<FileDiff>().toExtend<NewestV2.SnapshotFileDiff>()
  expectTypeOf<FileDiff>().toExtend<Newest.FileDiff>()
  expectTypeOf<Todo>().toExtend<Newest.Todo>()
  expectTypeOf<Todo>().toExtend<NewestV2.Todo>()
  expectTypeOf<SessionStatus>().toExtend<Newest.SessionStatus>()
  expectTypeOf<SessionStatus>().toExtend<NewestV2.SessionStatus>()
})

type SdkEvent<Union, Type extends EventType> = Extract<Union, { type: Type }>
/** As the bus sends it. */
type Sent<Type extends EventType> = EventOf<Type> & { id: string }
/** Those with a session in them have its clash. */
type Fitting = Exclude<EventType, 'server.heartbeat' | `session.${'created' | 'updated' | 'deleted'}` | `pty.${string}`>
type FittingOf<Union> = Union extends { type: infer Type } ? Extract<Type, Fitting> : never

/** Fails to compile where one of our events is not what the SDK has under its type. */
type Misfits<Union> = {
  [Type in FittingOf<Union>]: Sent<Type> extends SdkEvent<Union, Type> ? never : Type
}[FittingOf<Union>]

test('events are what the SDKs have under the same type', () => {
  expectTypeOf<Misfits<NewestV2.Event>>().toEqualTypeOf<never>()
  expectTypeOf<Misfits<Newest.Event>>().toEqualTypeOf<never>()
  expectTypeOf<Misfits<FirstV2.Event>>().toEqualTypeOf<never>()
  expectTypeOf<Misfits<First.Event>>().toEqualTypeOf<never>()
})

test('events that the newest SDK has are published in its form', () => {
  expectTypeOf<
    'permission.asked' | 'question.asked' | 'message.part.delta' | 'session.diff' | 'file.edited' | 'todo.updated'
  >().toExtend<FittingOf<NewestV2.Event>>()
})
