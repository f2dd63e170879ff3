// Describes how a program ended.
import type { TerminalInfo } from '../../../src/server/protocol.ts'

export function exitWords({ code, signal }: NonNullable<TerminalInfo['exit']>): string {
  if (signal !== null) return `was ended by ${signal}`
  return code === null ? 'ended' : `ended with code ${code}`
}
