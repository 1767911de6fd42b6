/** Regular expressions whose time grows faster than their input: a client could stop the server with one input. */
import ts from "typescript"
import type { TextFile } from "./Files.ts"
import { inputsOf } from "./PatternInputs.ts"

export interface Exemption {
  readonly path: string
  /** The expression as it is written. */
  readonly pattern: string
  readonly reason: string
}

/** Expressions that are slow on some input, which nobody else writes. A line that nothing uses is an error. */
const exemptions: ReadonlyArray<Exemption> = [
  {
    path: "packages/http/src/DocsContent.ts",
    pattern: "/<script>([\\s\\S]*?)<\\/script>/gu",
    reason: "It reads the page that Scalar and our own document make, once."
  },
  {
    path: "packages/core/src/ports/HideSecrets.ts",
    pattern: 'new RegExp(texts.map(spelling).join("|"), "gu")',
    reason:
      "It is made of an operator's secrets: alternatives that begin differently, one after the other, without a " +
      "repetition that could be read in two ways. HideSecrets.test.ts times it."
  }
]

interface Found {
  readonly path: string
  readonly line: number
  /** As it is written. */
  readonly written: string
  /** `undefined` for one that is made of other values. */
  readonly pattern: RegExp | undefined
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined

const made = (node: ts.CallExpression | ts.NewExpression): RegExp | undefined => {
  const [source, flags] = node.arguments ?? []
  if (source !== undefined && ts.isRegularExpressionLiteral(source)) return literal(source.text)
  const text = textOf(source)
  const given = flags === undefined ? "" : textOf(flags)
  return text === undefined || given === undefined ? undefined : new RegExp(text, given)
}

const literal = (text: string): RegExp => {
  const end = text.lastIndexOf("/")
  return new RegExp(text.slice(1, end), text.slice(end + 1))
}

/** Every regular expression of a source file: literals, and what `RegExp` is called with. */
export const patternsIn = ({ path, text }: TextFile): ReadonlyArray<Found> => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const found: Array<Found> = []
  const visit = (node: ts.Node): void => {
    const isMade =
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === "RegExp"
    if (isMade || ts.isRegularExpressionLiteral(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
      const pattern = isMade ? made(node) : literal((node as ts.RegularExpressionLiteral).text)
      found.push({ path, line, written: node.getText(source), pattern })
    } else ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** For 16 KB: twenty times what the slowest linear expression of ours takes. */
const budgetMillis = 2
const bytes = 16_384

/** Growing, so that an expression whose time is exponential is found before it takes for ever. */
const sizes = [16, 24, 32, 48, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, bytes]

/** `replace` finds once, or everything where the expression is global. */
const run = (pattern: RegExp, text: string): void => {
  pattern.lastIndex = 0
  text.replace(pattern, "")
}

const cpuMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** Wall time first, which is cheap and never less; then the processor's, best of three. */
const isOverBudget = (pattern: RegExp, text: string): boolean => {
  const began = performance.now()
  run(pattern, text)
  if (performance.now() - began < budgetMillis) return false
  return [1, 2, 3].every(() => {
    const before = cpuMillis()
    run(pattern, text)
    return cpuMillis() - before >= budgetMillis
  })
}

export interface SlowInput {
  readonly characters: number
  readonly prefix: string
  readonly unit: string
  readonly suffix: string
}

/** The first text found on which the expression takes longer than the budget. */
export const slowInput = (pattern: RegExp): SlowInput | undefined => {
  const { prefixes, suffixes, units } = inputsOf(pattern)
  for (const characters of sizes) {
    for (const unit of units) {
      const repeated = unit.repeat(Math.ceil(characters / unit.length))
      for (const prefix of prefixes) {
        for (const suffix of suffixes) {
          if (isOverBudget(pattern, prefix + repeated + suffix)) return { characters, prefix, unit, suffix }
        }
      }
    }
  }
  return undefined
}

export const patternFaults = (
  sources: ReadonlyArray<TextFile>,
  exempted: ReadonlyArray<Exemption> = exemptions
): ReadonlyArray<string> => {
  const used = new Set<Exemption>()
  const known = new Map<string, SlowInput | undefined>()
  const faults = sources.flatMap(patternsIn).flatMap(({ line, path, pattern, written }): ReadonlyArray<string> => {
    const exemption = exempted.find((one) => one.path === path && one.pattern === written)
    if (exemption !== undefined) used.add(exemption)
    if (exemption !== undefined) return []
    if (pattern === undefined) return [`${path}:${line}: ${written} cannot be checked: write a literal`]
    const name = String(pattern)
    if (!known.has(name)) known.set(name, slowInput(pattern))
    const slow = known.get(name)
    return slow === undefined
      ? []
      : [
          `${path}:${line}: ${written} takes over ${budgetMillis} ms for ${describe(slow)}: write it so that it is linear`
        ]
  })
  const unused = exempted
    .filter((exemption) => !used.has(exemption))
    .map(({ path, pattern }) => `${path}: ${pattern} is exempted and not used`)
  return [...faults, ...unused]
}

const describe = ({ characters, prefix, suffix, unit }: SlowInput): string =>
  [JSON.stringify(prefix), `${JSON.stringify(unit)} for ${characters} characters`, JSON.stringify(suffix)]
    .filter((part) => part !== '""')
    .join(", then ")
