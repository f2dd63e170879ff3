// Errors as the clients know them: inside messages and events, and as the body of a refused request.
import { z } from 'zod'

const said = z.object({ message: z.string() })

export const messageErrorSchema = z.discriminatedUnion('name', [
  z.object({ name: z.literal('UnknownError'), data: said }),
  /** Cut off by a person, or because the agent or rethread ended. */
  z.object({ name: z.literal('MessageAbortedError'), data: said }),
  z.object({ name: z.literal('MessageOutputLengthError'), data: z.record(z.string(), z.unknown()) }),
  z.object({ name: z.literal('ProviderAuthError'), data: said.extend({ providerID: z.string() }) }),
])
export type MessageError = z.infer<typeof messageErrorSchema>

/** `errors` is what one kind of client looks for, `name` and `data` what the other does. */
export const refusalSchema = z.object({
  errors: z.array(said),
  name: z.string(),
  data: z.looseObject({ message: z.string() }),
})
export type Refusal = z.infer<typeof refusalSchema>

export function makeRefusal(name: string, message: string): Refusal {
  return { errors: [{ message }], name, data: { message } }
}
