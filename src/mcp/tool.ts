// The interface of a tool of the MCP server. One file for each in tools/, one line in server.ts.
import type { z } from 'zod'
import type { Scope } from './scope.ts'

export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  name: string
  title: string
  description: string
  input: Shape
  /** The text for the agent, with everything from a conversation marked as quoted. */
  run(scope: Scope, input: z.infer<z.ZodObject<Shape>>, signal: AbortSignal): Promise<string>
}

export function makeTool<Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool {
  return tool as unknown as Tool
}
