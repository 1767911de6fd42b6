/** Finds the place of an edit by syntax, so that neither formatting nor moved lines nor comments matter to it. */
import ts from "typescript"
import { within } from "../tidy/SourceText.ts"
import type { Edit, Places } from "./Fault.ts"

type Kind = keyof Places

/** `start` and `end` in the text of the file; `before` and `after` go around the code of the edit. */
interface Span {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

/** The text of a file with the edit in it. Throws where the place of the edit is none, or several. */
export const edited = (text: string, edit: Edit): string => {
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true)
  const kind = kinds.find((one) => one in edit)
  if (kind === undefined) throw new Error(`it names no place, but ${JSON.stringify(edit)}`)
  const word = (edit as Partial<Places>)[kind] ?? ""
  const scopes = edit.in === undefined ? [source] : within(source).filter((node) => nameOf(node) === edit.in)
  const spans = innermost(
    [...new Set(scopes.flatMap(within))]
      .flatMap((node) => spansOf(kind, node, word))
      .filter(({ node }) => edit.about === undefined || mentions(node, edit.about))
  )
  const [span] = spans
  if (span === undefined || spans.length > 1) {
    const about = edit.about === undefined ? "" : ` about "${edit.about}"`
    throw new Error(`${kind} "${word}"${about} is found ${spans.length} times in ${edit.in ?? "the file"}`)
  }
  const stood = text.slice(span.start, span.end)
  // A function, because the code that stood there may have `$` itself.
  const code = kind === "text" ? edit.become : edit.become.replace(/\$(?!\{)/gu, () => stood)
  return `${text.slice(0, span.start)}${span.before}${code}${span.after}${text.slice(span.end)}`
}

const spansOf = (kind: Kind, node: ts.Node, word: string): ReadonlyArray<Span & { readonly node: ts.Node }> => {
  if (kind === "text") return textSpans(node, word)
  const found = finders[kind](node, word)
  if (found === undefined) return []
  const span = { node: found, start: found.getStart(), end: found.end }
  if (kind === "statement" || kind === "if") return [{ ...span, before: "", after: ";" }]
  if (kind === "operand" || kind === "call") return [{ ...span, before: "(", after: ")" }]
  return [{ ...span, before: ts.isShorthandPropertyAssignment(found) ? `${word}: ` : "", after: "" }]
}

const finders: Readonly<Record<Exclude<Kind, "text">, (node: ts.Node, word: string) => ts.Node | undefined>> = {
  statement: (node, word) =>
    (ts.isCaseClause(node) || (ts.isStatement(node) && !ts.isBlock(node))) && mentions(node, word) ? node : undefined,
  if: (node, word) => (ts.isIfStatement(node) && mentions(node.expression, word) ? node : undefined),
  condition: (node, word) => {
    const condition =
      ts.isIfStatement(node) || ts.isWhileStatement(node)
        ? node.expression
        : ts.isConditionalExpression(node) || ts.isForStatement(node)
          ? node.condition
          : undefined
    return condition !== undefined && mentions(condition, word) ? condition : undefined
  },
  operand: (node, word) =>
    ts.isExpression(node) && isOperand(node) && !isLogical(node) && mentions(node, word) ? node : undefined,
  call: (node, word) =>
    (ts.isCallExpression(node) || ts.isNewExpression(node)) && bare(node.expression) === word ? node : undefined,
  property: (node, word) =>
    (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && nameOf(node) === word
      ? ts.isPropertyAssignment(node)
        ? node.initializer
        : node
      : undefined,
  const: (node, word) => (ts.isVariableDeclaration(node) && nameOf(node) === word ? node.initializer : undefined),
  returned: (node, word) => {
    const value = ts.isReturnStatement(node)
      ? node.expression
      : ts.isArrowFunction(node) && !ts.isBlock(node.body)
        ? node.body
        : undefined
    return value !== undefined && mentions(value, word) ? value : undefined
  }
}

const kinds: ReadonlyArray<Kind> = [...(Object.keys(finders) as ReadonlyArray<Kind>), "text"]

const isLogical = (node: ts.Node): boolean => {
  if (ts.isParenthesizedExpression(node)) return isLogical(node.expression)
  return ts.isBinaryExpression(node) && logical.has(node.operatorToken.kind)
}

const logical: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken
])

const isOperand = ({ parent }: ts.Node): boolean => ts.isBinaryExpression(parent) && isLogical(parent)

/** Each time that the text stands in a literal, in the parts of a template too. */
const textSpans = (node: ts.Node, word: string) => {
  const isText =
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node)
  if (!isText) return []
  const parts = node.getText().split(word).slice(0, -1)
  let end = node.getStart() - word.length
  return parts.map((part) => {
    end += part.length + word.length
    return { node, start: end, end: end + word.length, before: "", after: "" }
  })
}

const mentions = (node: ts.Node, word: string): boolean =>
  within(node).some(
    (one) =>
      ((ts.isIdentifier(one) || ts.isStringLiteralLike(one) || ts.isNumericLiteral(one)) && one.text === word) ||
      (ts.isPropertyAccessExpression(one) && bare(one) === word)
  )

/** The code of a node without spaces, and a path of properties without comments and `?` too. */
const bare = (node: ts.Node): string =>
  ts.isPropertyAccessExpression(node)
    ? `${bare(node.expression)}.${node.name.text}`
    : node.getText().replaceAll(/\s/gu, "")

const nameOf = (node: ts.Node): string | undefined => {
  const name = ts.getNameOfDeclaration(node as ts.Declaration)
  return name === undefined ? undefined : ts.isStringLiteralLike(name) ? name.text : bare(name)
}

/** A place that has another one inside is not the place that is meant. */
const innermost = <A extends Span>(spans: ReadonlyArray<A>): ReadonlyArray<A> =>
  spans.filter(
    (outer) => !spans.some((inner) => inner !== outer && inner.start >= outer.start && inner.end <= outer.end)
  )
