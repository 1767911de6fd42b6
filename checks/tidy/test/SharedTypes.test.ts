/** `@pointsman/client` and `@pointsman/node` have one description of a payment: what the contract gains, both gain. */
import { join } from "node:path"
import { openApiDocument } from "@pointsman/http"
import ts from "typescript"
import { assert, it } from "vitest"
import { clientTypes, clientTypesPath } from "../../../scripts/generate/ClientTypes.ts"
import { root } from "../Files.ts"

const names = ["CreatePayment", "Payment", "Decline", "Dispute", "CapturedEventData", "Settlement"]

it("a new field of the contract is in the generated types with its description", () => {
  const document = openApiDocument()
  const surcharge = { type: "integer", description: "What the customer was surcharged, in minor units." }
  for (const name of names) {
    const { [name]: schema = {}, ...schemas } = document.components.schemas
    const properties = { ...Object(schema["properties"]), surcharge_amount: surcharge }
    const components = { ...document.components, schemas: { ...schemas, [name]: { ...schema, properties } } }
    const [, declared = ""] = clientTypes({ ...document, components }).split(
      new RegExp(`^export (?:interface|type) ${name} [^]*?\\{\n([^]*?)^\\}`, "mu")
    )
    assert.include(declared, `/** ${surcharge.description} */\n  readonly surcharge_amount?: number\n`, name)
  }
})

it("the types of both packages have each field of the contract with its description", () => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
    customConditions: ["@pointsman/source"]
  }
  const host = ts.createCompilerHost(options)
  // Types that others bring are of no interest here, nor is what a door loads when it is called.
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      /^\.|^@pointsman\/client/u.test(text) && !/Open|Verify/u.test(text)
        ? ts.resolveModuleName(text, from, options, host, undefined, undefined, ts.ModuleKind.ESNext)
        : { resolvedModule: undefined }
    )
  const doors = [clientTypesPath, "packages/client/src/index.ts", "packages/node/src/index.ts"]
  const program = ts.createProgram(
    doors.map((path) => join(root, path)),
    options,
    host
  )
  const checker = program.getTypeChecker()
  const [contract, ...packages] = doors.map((path) => {
    const door = checker.getSymbolAtLocation(program.getSourceFile(join(root, path)) ?? assert.fail(path))
    const exported = checker.getExportsOfModule(door ?? assert.fail(path))
    return names.map((name) => {
      const found = exported.find((one) => one.name === name) ?? assert.fail(`${path} does not export ${name}`)
      const type = (found.flags & ts.SymbolFlags.Alias) === 0 ? found : checker.getAliasedSymbol(found)
      const fields = checker.getDeclaredTypeOfSymbol(type).getProperties()
      // The client has statuses of its own, which a newer server may add to.
      const shared = fields.filter((field) => !/^(?:payment_)?status$/u.test(field.name))
      return Object.fromEntries(
        shared.map((field) => [field.name, ts.displayPartsToString(field.getDocumentationComment(checker))])
      )
    })
  })
  assert.isAbove(Object.values(contract?.[0] ?? {}).filter((description) => description !== "").length, 10)
  assert.deepStrictEqual(packages, [contract, contract])
})
