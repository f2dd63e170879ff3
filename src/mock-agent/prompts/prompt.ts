// Something that the mock agent does when it is asked for it.
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import type { Turn } from '../turn.ts'

export interface Prompt {
  readonly name: string
  run(turn: Turn): Promise<StopReason>
}
