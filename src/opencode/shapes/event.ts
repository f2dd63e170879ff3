// The events of the API. `properties` holds the fields of both client SDKs.
import { z } from 'zod'
import { messageErrorSchema, messageSchema } from './message.ts'
import { partSchema } from './part.ts'
import {
  permissionReplySchema,
  permissionRequestSchema,
  questionAnswersSchema,
  questionRequestSchema,
} from './request.ts'
import { fileDiffSchema, sessionSchema, sessionStatusSchema, todoSchema } from './session.ts'

const ofSession = z.object({ sessionID: z.string() })
const ofMessage = ofSession.extend({ messageID: z.string() })
const ofPart = ofMessage.extend({ partID: z.string() })
const ofRequest = ofSession.extend({ requestID: z.string() })
const nothing = z.record(z.string(), z.unknown())

function event<Type extends string, Properties extends z.ZodType>(type: Type, properties: Properties) {
  return z.object({ type: z.literal(type), properties })
}

export const eventSchema = z.discriminatedUnion('type', [
  event('server.connected', nothing),
  event('server.heartbeat', nothing),
  event('server.instance.disposed', z.object({ directory: z.string() })),
  event('global.disposed', nothing),
  event('session.created', ofSession.extend({ info: sessionSchema })),
  event('session.updated', ofSession.extend({ info: sessionSchema })),
  event('session.deleted', ofSession.extend({ info: sessionSchema })),
  event('session.status', ofSession.extend({ status: sessionStatusSchema })),
  event('session.idle', ofSession),
  event('session.error', ofSession.extend({ error: messageErrorSchema })),
  event('session.diff', ofSession.extend({ diff: z.array(fileDiffSchema) })),
  event('message.updated', ofSession.extend({ info: messageSchema })),
  event('message.removed', ofMessage),
  /** `delta`: the text added since the last such event of the part. */
  event('message.part.updated', ofMessage.extend({ part: partSchema, time: z.number(), delta: z.string().optional() })),
  event('message.part.delta', ofPart.extend({ field: z.string(), delta: z.string() })),
  event('message.part.removed', ofPart),
  event('permission.asked', permissionRequestSchema),
  /** `permissionID` and `response` repeat the reply for older clients. */
  event(
    'permission.replied',
    ofRequest.extend({ reply: permissionReplySchema, permissionID: z.string(), response: z.string() }),
  ),
  event('question.asked', questionRequestSchema),
  event('question.replied', ofRequest.extend({ answers: questionAnswersSchema })),
  event('question.rejected', ofRequest),
  event('todo.updated', ofSession.extend({ todos: z.array(todoSchema) })),
  event('file.edited', ofSession.extend({ file: z.string(), path: z.string() })),
  event('tui.prompt.append', z.object({ text: z.string() })),
  event('tui.command.execute', z.object({ command: z.string() })),
  event(
    'tui.toast.show',
    z.object({
      title: z.string().optional(),
      message: z.string(),
      variant: z.enum(['info', 'success', 'warning', 'error']),
      duration: z.number().optional(),
    }),
  ),
  event('tui.session.select', ofSession),
  event('pty.created', z.object({ info: z.looseObject({ id: z.string() }) })),
  event('pty.updated', z.object({ info: z.looseObject({ id: z.string() }) })),
  event('pty.exited', z.object({ id: z.string(), exitCode: z.number() })),
  event('pty.deleted', z.object({ id: z.string() })),
])
export type OpenCodeEvent = z.infer<typeof eventSchema>
export type EventType = OpenCodeEvent['type']
export type EventOf<Type extends EventType> = Extract<OpenCodeEvent, { type: Type }>
