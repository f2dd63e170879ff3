// The command that starts the mock agent.
import { fileURLToPath } from 'node:url'

export function mockAgentCommand(): { command: string; args: string[] } {
  return { command: process.execPath, args: [fileURLToPath(programFile())] }
}

/** The source file in a checkout; a bundle of its own in the built package. */
function programFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './main.ts' : './mock-agent.js', import.meta.url)
}
