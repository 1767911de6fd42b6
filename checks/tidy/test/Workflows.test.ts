import { assert, describe, it } from "@effect/vitest"
import { files } from "../Files.ts"
import { dependabotFaults, guardFaults, pinFaults } from "../Workflows.ts"

const workflows = files(".github/workflows/*.yml")
const textOf = (path: string) => files(path)[0]?.text
const dependabot = files(".github/dependabot.yml")[0] ?? assert.fail("no dependabot.yml")
const lockFiles = files("**/package-lock.json").map(({ path }) => path)

describe("workflows", () => {
  it("every action of a workflow is pinned to a commit", () => {
    assert.isAbove(workflows.length, 2)
    assert.deepStrictEqual(workflows.flatMap(pinFaults), [])
  })

  it("the workflows have provenance, attestations and CodeQL", () => {
    assert.deepStrictEqual(guardFaults(textOf), [])
  })

  it("Dependabot updates the folder of every lock file", () => {
    assert.isAbove(lockFiles.length, 3)
    assert.deepStrictEqual(dependabotFaults(dependabot, lockFiles), [])
  })
})

describe("controls: what must be refused", () => {
  const commit = "3d3c42e5aac5ba805825da76410c181273ba90b1"
  for (const [name, uses] of Object.entries({
    "a tag": "actions/checkout@v7",
    "a branch": "actions/checkout@main # v7.0.1",
    "a short commit": `actions/checkout@${commit.slice(0, 12)} # v7.0.1`,
    "a commit without its release": `actions/checkout@${commit}`,
    "an image": "docker://alpine:3"
  })) {
    it(`an action used by ${name} is refused`, () => {
      assert.lengthOf(pinFaults({ path: "ci.yml", text: `    steps:\n      - uses: ${uses}\n` }), 1)
      assert.deepStrictEqual(
        pinFaults({ path: "ci.yml", text: `      - uses: actions/checkout@${commit} # v7.0.1` }),
        []
      )
    })
  }

  it.for([
    [".github/workflows/release.yml", "      id-token: write\n"],
    [".github/workflows/release.yml", "      attestations: write\n"],
    [".github/workflows/release.yml", "          sbom-path:"],
    [".github/workflows/release.yml", "/*.cdx.json"],
    [".github/workflows/codeql.yml", "javascript-typescript, "],
    ["scripts/publish.mjs", '"--provenance"']
  ] as const)("%s without %j misses its guard", ([path, guard]) => {
    const text = textOf(path) ?? ""
    assert.include(text, guard)
    assert.lengthOf(
      guardFaults((one) => (one === path ? text.replaceAll(guard, "") : textOf(one))),
      1
    )
  })

  it("a lock file unknown to Dependabot, or a folder without one, is refused", () => {
    assert.deepStrictEqual(dependabotFaults(dependabot, [...lockFiles, "more/package-lock.json"]), [
      ".github/dependabot.yml: npm lacks the folder /more"
    ])
    assert.lengthOf(dependabotFaults(dependabot, lockFiles.slice(1)), 1)
  })
})
