// One HTTP request with exactly the headers that it is given, as a browser of somebody else might send them.
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import type { z } from 'zod'

export interface Question {
  method: string
  /** Undefined for none. */
  token: string | undefined
  headers: Record<string, string | string[]>
  body: string | Buffer
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  /** Its JSON, which has to fit. */
  as<Value>(schema: z.ZodType<Value>): Value
}

export async function ask(port: number, path: string, question: Partial<Question> = {}): Promise<Answer> {
  const { method = 'GET', token, headers = {}, body } = question
  const own = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return await new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers: { ...own, ...headers }, agent: false },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', chunk => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString('utf8')
          const { statusCode: status = 0, headers: notified } = answer
          resolve({ status, headers: notified, bytes, text, as: schema => schema.parse(JSON.parse(text)) })
        })
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}
