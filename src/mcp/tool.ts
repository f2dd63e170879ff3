// The interface of a tool of the MCP server. One file for each in tools/, one line in server.ts.
import type { z } from 'zod'
import type { Context } from '../catalog/context.ts'

/** What an agent may see, and what is needed to read it. */
export interface Scope {
  /** Loaded with the first call: an agent does not wait long for a server to start. */
  context(): Promise<Context>
  /** The folder of the agent; undefined for all projects. */
  project: string | undefined
}

export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  name: string
  title: string
  description: string
  input: Shape
  /**
   * Imports heavy modules itself. The text for the agent, with
   * everything from a conversation marked as quoted.
   */
  run(scope: Scope, input: z.infer<z.ZodObject<Shape>>, signal: AbortSignal): Promise<string>
}

export function makeTool<Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool {
  return tool as unknown as Tool
}
