import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    // A machine under load is slow, not wrong: what is waited for is waited for long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 45_000, interval: 20 } },
    pool: 'forks',
    // Half of the time a test waits: for the disk, for a lock, for a process it started.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // The tests run the source as Node itself does, not a version that a bundler rewrote.
    experimental: { viteModuleRunner: false },
  },
})
