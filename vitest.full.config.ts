// `npm run test:full`: the same tests with larger numbers, and those that are worth running only sometimes.
process.env['RETHREAD_TEST_FULL'] = '1'

export default (await import('./vitest.config.ts')).default
