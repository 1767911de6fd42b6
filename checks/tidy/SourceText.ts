/** What is code, a string, a comment or an import in a text of TypeScript, as its compiler reads it. */
import ts from "typescript"
import type { TextFile } from "./Files.ts"

const parsed = ({ path, text }: TextFile): ts.SourceFile =>
  ts.createSourceFile(path, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone
  })

/** The node, and all that it has inside. */
export const within = (node: ts.Node): ReadonlyArray<ts.Node> => {
  const inside: Array<ts.Node> = [node]
  for (const one of inside) ts.forEachChild(one, (child) => void inside.push(child))
  return inside
}

/** What is found of each node of a file, with the line of the node that it names, from 1. */
export const foundIn = <Found extends { readonly at: ts.Node }>(
  file: TextFile,
  find: (node: ts.Node, source: ts.SourceFile) => Found | undefined
): ReadonlyArray<Found & { readonly line: number }> => {
  const source = parsed(file)
  return within(source).flatMap((node) => {
    const found = find(node, source)
    if (found === undefined) return []
    return { ...found, line: source.getLineAndCharacterOfPosition(found.at.getStart(source)).line + 1 }
  })
}

const isString = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)

const blank = (text: string): string => text.replace(/[^\n]/gu, " ")

/** Three texts as long as the file's, with spaces in place of the others: each character keeps its line and column. */
export const partsOf = (file: TextFile) => {
  const source = parsed(file)
  const parts = { code: "", strings: "", comments: "" }
  let at = 0
  const take = (to: number, part: keyof typeof parts): void => {
    const text = file.text.slice(at, to)
    for (const one of ["code", "strings", "comments"] as const) parts[one] += one === part ? text : blank(text)
    at = to
  }
  const visit = (node: ts.Node): void => {
    const inside = node.getChildren(source)
    for (const one of inside) visit(one)
    if (inside.length > 0) return
    // What is between two tokens is comments and space.
    take(node.getStart(source), "comments")
    take(node.end, isString(node) ? "strings" : "code")
  }
  visit(source)
  return parts
}

/**
 * Every module that a text names, with its line: `import`, `export … from`, `import()` and `import("…")` in a type. Imports
 * of types count as well: they tie two files together for readers.
 */
export const imports = (file: TextFile): ReadonlyArray<{ readonly specifier: string; readonly line: number }> =>
  foundIn(file, (node) => {
    const at = specifierOf(node)
    return at !== undefined && ts.isStringLiteralLike(at) ? { at, specifier: at.text } : undefined
  }).map(({ line, specifier }) => ({ specifier, line }))

const specifierOf = (node: ts.Node): ts.Node | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (!ts.isCallExpression(node)) return undefined
  const { arguments: given, expression } = node
  const isImport = expression.kind === ts.SyntaxKind.ImportKeyword
  return isImport || (ts.isIdentifier(expression) && expression.text === "require") ? given[0] : undefined
}
