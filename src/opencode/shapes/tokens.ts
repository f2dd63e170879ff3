// What an answer took.
import { z } from 'zod'

export const tokensSchema = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cache: z.object({ read: z.number(), write: z.number() }),
})
export type Tokens = z.infer<typeof tokensSchema>

export function noTokens(): Tokens {
  return { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
}
