/**
 * Writes what each published package declares to its users into `checks/api/`, one file per package; with `--check` it only
 * compares. It reads the declarations that the build emitted (`npm run build` first): everything that an entry exports,
 * and everything of the package that those declarations speak of. A change here is a change for users, and shows in
 * review; a line that goes or becomes narrower is a breaking one.
 *
 * Comments are left out: a better docstring is no change of the interface.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { exit } from "node:process"
import ts from "typescript"
import { type Package, publishedPackages } from "./build/Packages.ts"

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2024,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: []
}

const printer = ts.createPrinter({ removeComments: true })

/** The compiler checks in parallel, and its unions come in an order that differs from build to build. */
const withSortedUnions = (statement: ts.Node, source: ts.SourceFile): ts.Node => {
  const { transformed } = ts.transform(statement, [
    (context) => (root) => {
      const visit = (node: ts.Node): ts.Node => {
        const visited = ts.visitEachChild(node, visit, context)
        if (!ts.isUnionTypeNode(visited)) return visited
        const text = (member: ts.TypeNode) => printer.printNode(ts.EmitHint.Unspecified, member, source)
        return ts.factory.createUnionTypeNode(visited.types.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)))
      }
      return visit(root)
    }
  ])
  return transformed[0] ?? statement
}

const reportOf = ({ folder, manifest }: Package): string => {
  const dist = `${resolve(folder, "dist")}/`
  const entries = Object.entries(manifest.exports).flatMap(([door, target]) => {
    if (typeof target === "string") return []
    const file = resolve(folder, target.types)
    if (!existsSync(file)) throw new Error(`${relative(".", file)} is not there: npm run build first`)
    return [{ door, file }]
  })
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options
  )
  const checker = program.getTypeChecker()
  const resolved = (symbol: ts.Symbol) =>
    (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
  const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(dist)

  const seen = new Set<ts.Node>()
  /** Of each file: its declarations, in their original order. */
  const told = new Map<string, Array<readonly [at: number, text: string]>>()
  const tell = (symbol: ts.Symbol): void => {
    for (const declaration of resolved(symbol).declarations ?? []) {
      if (!isOurs(declaration)) continue
      if (ts.isSourceFile(declaration)) {
        for (const exported of checker.getExportsOfModule(resolved(symbol))) tell(exported)
        continue
      }
      const statement = ts.findAncestor(declaration, (node) => ts.isSourceFile(node.parent))
      if (statement === undefined || seen.has(statement)) continue
      seen.add(statement)
      const source = statement.getSourceFile()
      const text = printer.printNode(ts.EmitHint.Unspecified, withSortedUnions(statement, source), source)
      const file = relative(dist, source.fileName)
      told.set(file, [...(told.get(file) ?? []), [statement.pos, text]])
      follow(statement)
    }
  }
  const follow = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node)
      if (symbol !== undefined) tell(symbol)
    }
    ts.forEachChild(node, follow)
  }

  const doors = entries.map(({ door, file }) => {
    const source = program.getSourceFile(file)
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol)
    for (const one of exported) tell(one)
    const names = exported.map(({ name }) => name).toSorted()
    return [`## ${manifest.name}${door.slice(1)}`, ...names.map((name) => `export ${name}`), ""]
  })
  const files = [...told]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, statements]) => [
      `## ${file}`,
      ...statements.toSorted(([a], [b]) => a - b).map(([, text]) => text),
      ""
    ])
  return [...doors, ...files].flat().join("\n")
}

const isCheck = process.argv.includes("--check")
const reports = new Map(
  publishedPackages().map((one) => [`${one.manifest.name.replace(/^@pointsman\//, "")}.txt`, reportOf(one)])
)

mkdirSync("checks/api", { recursive: true })
const stale = readdirSync("checks/api").filter((file) => file.endsWith(".txt") && !reports.has(file))
const changed = [...reports].filter(([file, text]) => {
  const path = join("checks/api", file)
  return !existsSync(path) || readFileSync(path, "utf8") !== text
})
if (isCheck) {
  for (const file of [...stale, ...changed.map(([name]) => name)]) {
    console.error(
      `checks/api/${file} is not what the package declares: npm run build && npm run api, and look at the difference`
    )
  }
  exit(stale.length + changed.length === 0 ? 0 : 1)
}
for (const file of stale) rmSync(join("checks/api", file))
for (const [file, text] of changed) writeFileSync(join("checks/api", file), text)
console.log(`${changed.length} of ${reports.size} reports written`)
