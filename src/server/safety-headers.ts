// What every answer carries, be it of a route, of the page or of what refuses a request before either: nothing in it may run, be framed or be read elsewhere.
import type { ServerResponse } from 'node:http'

/** No inline script, nothing from elsewhere, no frame around it. Styles are set on elements by the terminal and by charts, and a picture of a session is shown from the memory of the page. */
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
