// The kept list of what a redaction replaces. One line for each form. Add new forms of keys here,
// with an example in redact.test.ts. Every pattern is linear: bounded repetitions, and no
// repetition inside another one over the same text.

/** What a person reads in the summary. */
export type RedactedKind = 'private key' | 'API key' | 'token' | 'password' | 'e-mail address' | 'home path'

export interface RedactionPattern {
  kind: RedactedKind
  pattern: RegExp
  /** Default: the kind in brackets. `$1` stays as it is. */
  replacement?: string
}

const WORD = '(?<![A-Za-z0-9_-])'

/** Keys and tokens by the prefix that their issuer gives them. */
const ISSUED: readonly [RedactedKind, string][] = [
  // Model providers.
  ['API key', 'sk-(?:ant|proj|svcacct|admin|or|lf)-[A-Za-z0-9_-]{16,300}'],
  ['API key', 'sk-[A-Za-z0-9]{20,200}'],
  ['API key', 'gsk_[A-Za-z0-9]{20,100}'],
  ['API key', 'xai-[A-Za-z0-9]{20,150}'],
  ['API key', 'pplx-[A-Za-z0-9]{20,100}'],
  ['API key', 'r8_[A-Za-z0-9]{20,100}'],
  ['API key', 'hf_[A-Za-z0-9]{20,100}'],
  ['API key', 'AIza[A-Za-z0-9_-]{30,60}'],
  ['token', 'ya29\\.[A-Za-z0-9_-]{20,500}'],
  // Clouds.
  ['API key', '(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,20}'],
  ['API key', 'GOCSPX-[A-Za-z0-9_-]{20,60}'],
  ['token', 'do[opr]_v1_[a-f0-9]{40,100}'],
  ['API key', 'LTAI[A-Za-z0-9]{12,30}'],
  // Code hosts and registries.
  ['token', 'gh[pousr]_[A-Za-z0-9]{20,260}'],
  ['token', 'github_pat_[A-Za-z0-9_]{20,260}'],
  ['token', 'gl(?:pat|dt|rt|soat|ptt|ft|agent|cbt|oas)-[A-Za-z0-9_.-]{16,300}'],
  ['token', 'ATATT[A-Za-z0-9_=-]{20,300}'],
  ['token', 'npm_[A-Za-z0-9]{30,60}'],
  ['token', 'pypi-[A-Za-z0-9_-]{40,300}'],
  ['token', 'rubygems_[a-f0-9]{40,60}'],
  ['token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,60}'],
  // Payment, mail, chat, and other services.
  ['API key', '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}'],
  ['API key', 'whsec_[A-Za-z0-9+/=]{20,100}'],
  ['API key', 'SG\\.[A-Za-z0-9_-]{16,40}\\.[A-Za-z0-9_-]{30,60}'],
  ['API key', 'key-[a-f0-9]{32}'],
  ['API key', 'SK[a-f0-9]{32}'],
  ['token', 'xox[abeoprs]-[A-Za-z0-9-]{10,300}'],
  ['token', 'xapp-[A-Za-z0-9-]{20,300}'],
  ['token', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'],
  ['token', 'lin_(?:api|oauth)_[A-Za-z0-9]{30,60}'],
  ['token', '(?:secret|ntn)_[A-Za-z0-9]{40,60}'],
  ['token', 'sntrys_[A-Za-z0-9_=-]{30,300}'],
  ['token', 'hvs\\.[A-Za-z0-9_-]{20,300}'],
  ['token', 'dapi[a-f0-9]{32}'],
  ['token', 'figd_[A-Za-z0-9_-]{30,60}'],
  ['token', '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}'],
  ['token', 'eyJ[A-Za-z0-9_-]{8,2000}\\.[A-Za-z0-9_-]{4,4000}(?:\\.[A-Za-z0-9_-]{0,4000})?'],
]

/** The name of a variable or a field whose value is a secret. */
const SECRET_NAME =
  '(?:api|access|auth|client|secret|private|signing|encryption|session|refresh|bearer|webhook)[_-]?(?:key|token|secret)|secret[_-]?access[_-]?key|passw(?:or)?d|passphrase|pwd|secret|token|credentials?'

/** A field with this name is redacted whatever its text is. */
export const SECRET_FIELD = new RegExp(`^(?:[A-Za-z0-9]{1,40}[_-]){0,4}(?:${SECRET_NAME})$`, 'i')

/** In this order: what a longer form contains is not replaced a second time. */
export const REDACTION_PATTERNS: readonly RedactionPattern[] = [
  {
    kind: 'private key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
  },
  ...ISSUED.map(([kind, form]) => ({ kind, pattern: new RegExp(`${WORD}${form}`, 'g') })),
  // https://user:password@host
  {
    kind: 'password',
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>]{0,100}):[^\s/@"'<>]{1,200}(?=@)/gi,
    replacement: '$1:[redacted: password]',
  },
  {
    kind: 'token',
    pattern: /\b((?:bearer|basic)\s{1,4})[A-Za-z0-9_.~+/=-]{16,4000}/gi,
    replacement: '$1[redacted: token]',
  },
  {
    kind: 'password',
    // PASSWORD=…, "apiKey": "…", --token …; not a variable, a call or a word of a sentence.
    pattern: new RegExp(
      `((?:\\b|_)(?:${SECRET_NAME})["'\\\\]{0,4}\\s{0,3}(?:[:=]|=>|:=)\\s{0,3}["'\\\\]{0,4})(?![\\[$<{])(?=[^\\s"'\\\\,;]{0,60}[0-9!@#%^&*+/=-])[^\\s"'\\\\,;()]{6,2000}`,
      'gi',
    ),
    replacement: '$1[redacted: password]',
  },
  {
    kind: 'e-mail address',
    // Not git@host:path, which names no person.
    pattern:
      /(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g,
  },
  {
    kind: 'home path',
    pattern: /(?<![A-Za-z0-9._~-])\/(?:home|Users|var\/home)\/[^\s/\\"'`<>|:*?,;()[\]{}]{1,100}/g,
    replacement: '~',
  },
  { kind: 'home path', pattern: /(?<![A-Za-z0-9._/~-])\/root(?=\/|$|[\s"'`:,;)])/g, replacement: '~' },
  {
    kind: 'home path',
    pattern: /\b[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)[^\s/\\"'`<>|:*?,;()[\]{}]{1,100}/gi,
    replacement: '~',
  },
  // A folder that is named after a path: -home-dev-shop
  { kind: 'home path', pattern: /(?<![A-Za-z0-9])-(?:home|Users)-[A-Za-z0-9_.]{1,100}(?=-|\b)/g, replacement: '-~' },
]
