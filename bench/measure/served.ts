// A server under measurement: started as a process of its own, asked over HTTP, weighed from outside.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { Command } from './processes.ts'

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'event-loop.js')).href

export interface MeasuredServer {
  port: number
  token: string
  /** From the start of the process until it said that it listens. */
  listeningMs: number
  get<Value>(path: string): Promise<Value>
  /** How long one answer takes. */
  time(path: string): Promise<number>
  residentBytes(): number
  /** Of its event loop, from when it listened. */
  stop(): Promise<{ maxStallMs: number }>
}

export async function startMeasured({ file, args }: Command): Promise<MeasuredServer> {
  const begun = performance.now()
  const child = spawn(file, ['--import', PRELOAD, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
  const ended = once(child, 'exit')
  const notified = readAll(child.stdio[3] as Readable)
  const { address, port, pid } = await printed(child.stdout as Readable)
  const listeningMs = performance.now() - begun
  child.kill('SIGUSR2')
  const token = new URL(address).searchParams.get('token') ?? ''
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const ask = (path: string): Promise<Buffer> => askOnce({ port, path, agent, token })
  return {
    port,
    token,
    listeningMs,
    get: async path => JSON.parse((await ask(path)).toString('utf8')),
    async time(path) {
      const asked = performance.now()
      await ask(path)
      return performance.now() - asked
    },
    residentBytes: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024,
    async stop() {
      agent.destroy()
      child.kill('SIGTERM')
      const [status] = await ended
      if (status !== 0) throw new Error(`The server ended with ${status}.`)
      return JSON.parse(await notified)
    },
  }
}

interface Question {
  port: number
  path: string
  agent: Agent
  token: string
}

async function askOnce({ port, path, agent, token }: Question): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}` }
  return await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent, headers }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks)
        if (answer.statusCode === 200) resolve(bytes)
        else reject(new Error(`${path} answered ${answer.statusCode}: ${bytes.toString('utf8').slice(0, 500)}`))
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function printed(stdout: Readable): Promise<{ address: string; port: number; pid: number }> {
  let text = ''
  for await (const chunk of stdout) {
    text += chunk
    if (text.endsWith('}\n')) return JSON.parse(text)
  }
  throw new Error(`The server did not start: ${text}`)
}

async function readAll(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}
