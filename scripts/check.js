// npm run check: format, lint, types, layer rules and tests. Lint and types need little and run beside the tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const quick = [run('lint'), run('types')]
const tests = run('tests')
const results = await Promise.all([...quick, tests])
process.exitCode = results.every(status => status === 0) ? 0 : 1

async function run(script) {
  const child = spawn('npm', ['run', '--silent', script], { stdio: 'inherit', shell: process.platform === 'win32' })
  const [status] = await once(child, 'exit')
  if (status !== 0) process.stderr.write(`npm run ${script} failed.\n`)
  return status ?? 1
}
