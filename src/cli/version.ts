// The version of rethread, and the folder of the package or checkout.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function version(): string {
  const root = dirname(fileURLToPath(import.meta.url))
  // src/cli/main.ts in a checkout, dist/main.js in the package.
  for (const up of ['..', join('..', '..')]) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(root, up, 'package.json'), 'utf8'))
      if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version)
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error
    }
  }
  return 'unknown'
}

export function packageRoot(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  return import.meta.url.endsWith('.ts') ? join(here, '..', '..') : join(here, '..')
}
