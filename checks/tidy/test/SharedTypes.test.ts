/** `@pointsman/client` and `@pointsman/node` have one description of a payment: what the contract gains, both gain. */
import { join, resolve } from "node:path"
import { openApiDocument } from "@pointsman/http"
import ts from "typescript"
import { assert, it } from "vitest"
import { clientTypes, clientTypesPath } from "../../../scripts/generate/ClientTypes.ts"

const root = resolve(import.meta.dirname, "../../..")
const doors = ["packages/client/src/index.ts", "packages/node/src/index.ts"].map((path) => join(root, path))

const planted = "surcharge_amount"
const description = "What the customer was surcharged, in minor units."

const planting = (names: ReadonlyArray<string>) => {
  const document = openApiDocument()
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, { properties, ...schema }]) => [
      name,
      names.includes(name)
        ? { ...schema, properties: { ...Object(properties), [planted]: { type: "integer", description } } }
        : { ...schema, ...(properties === undefined ? {} : { properties }) }
    ])
  )
  return clientTypes({ ...document, components: { ...document.components, schemas } })
}

/** What an editor shows of the field: of each door, by the name of the type. */
const shown = (contract: string, names: ReadonlyArray<string>) => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
    customConditions: ["@pointsman/source"]
  }
  const host = ts.createCompilerHost(options)
  const { readFile } = host
  host.readFile = (path) => (resolve(path) === join(root, clientTypesPath) ? contract : readFile(path))
  // Types that others bring are of no interest here, nor is what a door loads when it is called.
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      /^\.|^@pointsman\/client/u.test(text) && !/Open|Verify/u.test(text)
        ? ts.resolveModuleName(text, from, options, host, undefined, undefined, ts.ModuleKind.ESNext)
        : { resolvedModule: undefined }
    )
  const program = ts.createProgram(doors, options, host)
  const checker = program.getTypeChecker()
  return doors.map((path) => {
    const source = program.getSourceFile(path)
    const door = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (door === undefined) throw new Error(`${path} is no module`)
    const exported = checker.getExportsOfModule(door)
    return names.map((name) => {
      const found = exported.find((one) => one.name === name)
      if (found === undefined) throw new Error(`${path} does not export ${name}`)
      const type = checker.getDeclaredTypeOfSymbol(
        (found.flags & ts.SymbolFlags.Alias) === 0 ? found : checker.getAliasedSymbol(found)
      )
      const field = type.getProperty(planted)
      return [name, field === undefined ? null : ts.displayPartsToString(field.getDocumentationComment(checker))]
    })
  })
}

const names = ["CreatePayment", "Payment", "Decline", "Dispute", "CapturedEventData", "Settlement"]

it("a new field of the contract is in both packages with its description", () => {
  const field = names.map((name) => [name, description])
  assert.deepStrictEqual(shown(planting(names), names), [field, field])
})

it("control: given the contract as it is, then neither package has the field", () => {
  const field = names.map((name) => [name, null])
  assert.deepStrictEqual(shown(planting([]), names), [field, field])
})
