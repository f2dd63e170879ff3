// node summary.js RESULT: "N passed, N failed" from vitest's own JSON result. A test file that could not even be loaded counts as one failure.
import { readFileSync } from 'node:fs'

const [path = ''] = process.argv.slice(2)
const result = JSON.parse(readFileSync(path, 'utf8'))
const notLoaded = result.testResults.filter(
  file => file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed'),
)
const failed = result.numFailedTests + notLoaded.length
process.stdout.write(`${result.numPassedTests} passed, ${failed} failed\n`)
process.exitCode = result.success && failed === 0 && result.numPassedTests > 0 ? 0 : 1
