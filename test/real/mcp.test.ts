// The real agents list and call the tools of rethread's MCP server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyMcp } from './mcp/case.ts'
import { isAsItShould } from './mcp/document.ts'
import type { ModelServer } from './model-server.ts'
import { startModelServer } from './model-server.ts'
import { agentsFolder, versions } from './workshop.ts'

const TIMEOUT_MS = 600_000

describe.skipIf(agentsFolder === undefined)('rethread as an MCP server', () => {
  let server: ModelServer | undefined
  beforeAll(async () => {
    server = await startModelServer()
  })
  afterAll(() => server?.stop())

  test.each(versions)(
    '$id $version lists its tools, calls them, and gives the result to the model',
    async version => {
      if (server === undefined) throw new Error('The model server is not running.')
      const seen = await verifyMcp(version, agentsFolder ?? '', server)
      expect(seen.filter(call => !isAsItShould(call))).toEqual([])
    },
    TIMEOUT_MS,
  )
})
