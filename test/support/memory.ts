// Reads a session in a process of its own and reports by how much that process grew.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { testProgram } from './package.ts'

export async function measureReading(
  agent: string,
  home: string,
  sessionId: string,
): Promise<{ messages: number; grownBytes: number }> {
  // A small young generation keeps garbage from being counted as memory in use.
  const args = [
    '--max-old-space-size=512',
    '--max-semi-space-size=8',
    testProgram('measure-reading'),
    agent,
    home,
    sessionId,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 220_000 })
  return JSON.parse(stdout)
}
