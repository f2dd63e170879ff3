// node summary.js RESULT...: "N passed, N failed" from vitest's own JSON results. A test file that could not even be loaded counts as one failure.
import { readFileSync } from 'node:fs'

let passed = 0
let failed = 0
let isGood = true
for (const path of process.argv.slice(2)) {
  const result = JSON.parse(readFileSync(path, 'utf8'))
  const notLoaded = result.testResults.filter(
    file => file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed'),
  )
  passed += result.numPassedTests
  failed += result.numFailedTests + notLoaded.length
  isGood &&= result.success && result.numPassedTests > 0
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = isGood && failed === 0 ? 0 : 1
