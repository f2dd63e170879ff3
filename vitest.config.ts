import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/sequencer.ts'

// Set by vitest.full.config.ts.
const isFull = process.env['RETHREAD_TEST_FULL'] === '1'
const hasAgents = process.env['RETHREAD_TEST_REAL_AGENTS'] !== undefined

const ONLY_IN_FULL = ['**/*.full.test.ts', 'test/full/**']
const WITH_REAL_AGENTS = ['test/real/{mcp,real,repairs,restores,terminal-client}.test.ts']

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isFull ? [] : ONLY_IN_FULL), ...(hasAgents ? [] : WITH_REAL_AGENTS)],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    // A machine under load is slow, not wrong: what is waited for is waited for long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 90_000, interval: 20 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Half of the time a test waits: for the disk, for a lock, for a process it started. Three workers for each
    // processor were slower.
    maxWorkers: Math.ceil(availableParallelism() * 2),
    // The tests run the source as Node itself does, not a version that a bundler rewrote.
    experimental: { viteModuleRunner: false },
    // Most of the time of a small test file would go into loading the same modules again: files share a process.
    isolate: false,
  },
})
