// What an agent said it can do. `{}` means yes, as does `true`; what is absent it cannot.
import { fields } from '../envelope.ts'

export type SessionCapability = 'load' | 'resume' | 'list' | 'fork' | 'close' | 'delete'

export class Capabilities {
  /** The whole answer to `initialize`. */
  readonly answer: Record<string, unknown>

  constructor(answer: unknown) {
    this.answer = fields(answer)
  }

  has(capability: SessionCapability): boolean {
    const agent = fields(this.answer['agentCapabilities'])
    if (capability === 'load') return agent['loadSession'] === true
    const value = fields(agent['sessionCapabilities'])[capability]
    return value !== undefined && value !== null && value !== false
  }
}
