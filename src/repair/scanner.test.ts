import { join } from 'node:path'
import { temporaryHome } from '../../test/support/home.ts'
import { scannerConformance } from '../../test/support/scanner-conformance.ts'
import { makeContext } from '../catalog/context.ts'
import { findSession } from '../catalog/find-one.ts'
import { makeScanner } from './scanner.ts'

scannerConformance('the scanner in JavaScript', () => {
  const home = temporaryHome()
  const context = makeContext({ home, state: join(home, 'state'), logLevel: 'silent' })
  const scanner = makeScanner(context, { find: path => findSession(context, path) })
  return { scanner, folder: join(home, '.claude', 'projects', '-home-dev-shop') }
})
