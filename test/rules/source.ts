// What the rules of the house need to know of a source file, taken from its syntax tree: no rule is fooled by a word in a comment.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import ts from 'typescript'

export interface Source {
  /** From the root of the checkout, with slashes. */
  path: string
  text: string
}

export interface Import {
  /** As written; for our own files the path from the root of the checkout. */
  from: string
  isOwn: boolean
  isType: boolean
  /** `*` where everything is taken: a namespace, a default or a dynamic import. */
  names: string[]
  line: number
}

export interface Word {
  kind: 'string' | 'comment' | 'identifier'
  text: string
  line: number
}

/** What a template puts in, and the text in front of it. */
export interface Template {
  before: string
  value: string
  line: number
}

export interface Parsed {
  path: string
  lines: number
  imports: Import[]
  words: Word[]
  templates: Template[]
  /** Where the type `any` is used. */
  anyAt: number[]
}

/** Everything below `src`, or below another folder, that is neither a test nor the suite the tests are made of. */
export function readSources(root: string, folder = 'src'): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(name => `${folder}/${name.replaceAll(sep, '/')}`)
    .filter(path => /\.tsx?$/.test(path) && !path.endsWith('.test.ts') && !path.endsWith('/conformance.ts'))
    .sort()
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Parsed once for all rules of a run: that takes longer than to check them. */
export const parsedSources = memoize((root: string) => readSources(root).map(parse))
export const parsedPage = memoize((root: string) => readSources(root, 'web/src').map(parse))

function memoize<Value>(make: (root: string) => Value): (root: string) => Value {
  let made: Value | undefined
  return root => {
    made ??= make(root)
    return made
  }
}

const OPTIONS = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }

export function parse(source: Source): Parsed {
  const file = ts.createSourceFile(source.path, source.text, OPTIONS)
  const lineOf = (at: number) => file.getLineAndCharacterOfPosition(at).line + 1
  const lines = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0)
  const parsed: Parsed = { path: source.path, lines, imports: [], words: [], templates: [], anyAt: [] }
  const literals: ts.TextRange[] = []
  const visit = (node: ts.Node, parent: ts.Node): void => {
    const found = importOf(node, file)
    if (found !== undefined)
      parsed.imports.push({ ...found, ...resolve(source.path, found.from), line: lineOf(node.getStart(file)) })
    const word = wordOf(node, parent)
    if (word !== undefined) parsed.words.push({ ...word, line: lineOf(node.getStart(file)) })
    if (node.kind === ts.SyntaxKind.AnyKeyword) parsed.anyAt.push(lineOf(node.getStart(file)))
    if (isLiteral(node)) literals.push({ pos: node.getStart(file), end: node.end })
    if (ts.isTemplateExpression(node))
      for (const { before, expression } of partsOf(node))
        parsed.templates.push({ before, value: expression.getText(file), line: lineOf(expression.getStart(file)) })
    ts.forEachChild(node, child => visit(child, node))
  }
  visit(file, file)
  for (const { pos, end } of commentsIn(source.text, literals))
    parsed.words.push({ kind: 'comment', text: source.text.slice(pos, end), line: lineOf(pos) })
  return parsed
}

function partsOf({ head, templateSpans }: ts.TemplateExpression) {
  return templateSpans.map(({ expression }, index) => ({
    before: (templateSpans[index - 1]?.literal ?? head).text,
    expression,
  }))
}

/** Where two slashes begin no comment. */
function isLiteral(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  )
}

function commentsIn(text: string, literals: readonly ts.TextRange[]): ts.TextRange[] {
  const comments: ts.TextRange[] = []
  const mark = /\/\/.*|\/\*[\s\S]*?\*\//g
  let next = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    while ((literals[next]?.end ?? text.length) <= found.index) next++
    const literal = literals[next]
    if (literal === undefined || literal.pos > found.index)
      comments.push({ pos: found.index, end: found.index + found[0].length })
    else mark.lastIndex = literal.end
  }
  return comments
}

function resolve(path: string, from: string): Pick<Import, 'from' | 'isOwn'> {
  return from.startsWith('.') ? { from: posix.join(posix.dirname(path), from), isOwn: true } : { from, isOwn: false }
}

function importOf(node: ts.Node, file: ts.SourceFile): Pick<Import, 'from' | 'isType' | 'names'> | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
    return { from: node.moduleSpecifier.text, ...importedBy(node.importClause) }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier))
    return { from: node.moduleSpecifier.text, isType: node.isTypeOnly, names: ['*'] }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
    return { from: node.argument.literal.text, isType: true, names: ['*'] }
  if (!ts.isCallExpression(node)) return undefined
  const [argument] = node.arguments
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText(file) === 'require'
  if (!isImport || argument === undefined || !ts.isStringLiteralLike(argument)) return undefined
  return { from: argument.text, isType: false, names: ['*'] }
}

function importedBy(clause: ts.ImportClause | undefined): Pick<Import, 'isType' | 'names'> {
  if (clause === undefined) return { isType: false, names: [] }
  const bindings = clause.namedBindings
  if (bindings === undefined || clause.name !== undefined || ts.isNamespaceImport(bindings))
    return { isType: clause.phaseModifier === ts.SyntaxKind.TypeKeyword, names: ['*'] }
  const values = bindings.elements.filter(element => !element.isTypeOnly)
  return {
    isType: clause.phaseModifier === ts.SyntaxKind.TypeKeyword || values.length === 0,
    names: values.map(element => (element.propertyName ?? element.name).text),
  }
}

function wordOf(node: ts.Node, parent: ts.Node): Pick<Word, 'kind' | 'text'> | undefined {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) return { kind: 'identifier', text: node.text }
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return undefined
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
    return { kind: 'string', text: node.text }
  return ts.isRegularExpressionLiteral(node) ? { kind: 'string', text: node.text } : undefined
}
