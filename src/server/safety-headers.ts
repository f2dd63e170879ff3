// Headers of every answer, including refused requests: nothing in it may run, be framed or be read by another
// site.
import type { ServerResponse } from 'node:http'

/**
 * No inline script, no foreign source, no frame. The terminal and the charts set styles on elements. Images
 * of a session are shown from memory.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

export function setSafetyHeaders(answer: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) answer.setHeader(name, value)
}
