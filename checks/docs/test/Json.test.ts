/** JSON in pages is JSON, and a configuration in a page is one that a server would start with. */

import { assert, describe, it } from "@effect/vitest"
import { formatMistake, sendsNothing, understandConfiguration } from "@pointsman/configuration"
import { apiKeyEntropyBytes, formatApiKey } from "@pointsman/core"
import { Result } from "effect"
import * as InstalledConnectors from "../../../packages/server/src/InstalledConnectors.ts"
import { definition as pocketPay } from "../../../scripts/new-connector/fixture/src/index.ts"
import { files } from "../../tidy/Files.ts"
import { type Block, blocks, blocksOf } from "../Blocks.ts"

const keyOf = (environment: "sandbox" | "production") => formatApiKey(environment, new Uint8Array(apiKeyEntropyBytes))

/** Every variable that a page names has a value; one that is named after a Pointsman key has such a key. */
const environmentOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(text.matchAll(/"\$env":\s*"(\w+)"/gu), ([, name = ""]) => [
      name,
      name.endsWith("_LIVE_KEY") ? keyOf("production") : name.endsWith("_TEST_KEY") ? keyOf("sandbox") : "a-value"
    ])
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The whole file, or what belongs into a workspace. */
const asConfiguration = (value: unknown): object | undefined => {
  if (!isObject(value)) return undefined
  if ("workspaces" in value) return value
  const fields = ["connections", "routing", "keys", "webhooks", "partner"]
  return Object.keys(value).every((field) => fields.includes(field)) && Object.keys(value).length > 0
    ? { workspaces: [{ id: "acme", ...value }] }
    : undefined
}

/** Of the guide: a connector of one's own, which its page names in `connectors`. */
const acmePay = { definition: { ...pocketPay, name: "acme-pay" } }

const mistakesOf = ({ line, path, text }: Block): ReadonlyArray<string> => {
  const at = `${path}:${line}`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return [`${at}: ${String(error)}`]
  }
  const configuration = asConfiguration(value)
  if (configuration === undefined) return []
  return Result.match(
    understandConfiguration(configuration, {
      connectors: InstalledConnectors.forChecking("connectors" in configuration ? [acmePay] : []),
      transport: sendsNothing,
      claimWindowMillis: 900_000,
      claimWindowSetting: "the claim window",
      providerTimeoutMillis: 30_000,
      environment: environmentOf(text)
    }),
    {
      onFailure: (mistakes) => mistakes.map((mistake) => `${at}: ${formatMistake(mistake)}`),
      onSuccess: () => []
    }
  )
}

it("no block of JSON in the documentation has a mistake for a server", () => {
  const example = files("deploy/kubernetes/example/pointsman.json")
  assert.lengthOf(example, 1)
  const all = [...blocks("json"), ...example.flatMap(({ path, text }) => blocksOf(path, `\`\`\`json\n${text}\n\`\`\``))]
  const configurations = all.filter(({ text }) => text.includes('"workspaces"'))
  assert.isAbove(configurations.length, 2, "configurations were found")
  assert.deepStrictEqual(all.flatMap(mistakesOf), [])
})

describe("controls", () => {
  const block = (text: string) => blocksOf("page.md", `\`\`\`json\n${text}\n\`\`\``)

  it("a field that the file does not have is named", () => {
    const [mistake] = block('{ "workspaces": [{ "id": "acme", "colour": "red" }] }').flatMap(mistakesOf)
    assert.match(mistake ?? "", /^page\.md:2: .*colour/u)
  })

  it("a part of a workspace with a mistake is named", () => {
    const [mistake] = block('{ "routing": { "mode": "auto" } }').flatMap(mistakesOf)
    assert.match(mistake ?? "", /^page\.md:2: .*routing/u)
  })

  it("a block that is no JSON is named", () => {
    assert.strictEqual(block('{ "a": 1, }').flatMap(mistakesOf).length, 1)
  })
})
