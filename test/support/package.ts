// The programs that tests start: those of the package that global-setup.ts made of this checkout.
import { join } from 'node:path'
import { mockAgentCommand as mockAgentOfCheckout } from '../../src/mock-agent/command.ts'
import type { TestProgram } from './test-programs.ts'

// A program outside a test run, such as those of test/real, starts the checkout itself.
const folder = process.env['RETHREAD_TEST_PACKAGE']

export const rethreadBin = join(folder ?? join(import.meta.dirname, '..', '..'), 'bin', 'rethread.js')

/** The path of a program of this folder. */
export function testProgram(name: TestProgram): string {
  return folder === undefined ? join(import.meta.dirname, `${name}.ts`) : join(folder, 'dist', `${name}.js`)
}

export function mockAgentCommand(): { command: string; args: string[] } {
  if (folder === undefined) return mockAgentOfCheckout()
  return { command: process.execPath, args: [join(folder, 'dist', 'mock-agent.js')] }
}
