import { assert, describe, it } from "@effect/vitest"
import { files } from "../Files.ts"
import { dependabotFaults, guardFaults, pinFaults } from "../Workflows.ts"

const workflows = files(".github/workflows/*.yml")
const textOf = (path: string) => files(path)[0]?.text
const dependabot = files(".github/dependabot.yml")[0] ?? assert.fail("no dependabot.yml")
const lockFiles = files("**/package-lock.json").map(({ path }) => path)

describe("workflows", () => {
  it("given every action that a workflow uses, then it is pinned to a commit", () => {
    assert.isAbove(workflows.length, 2)
    assert.deepStrictEqual(workflows.flatMap(pinFaults), [])
  })

  it("given the workflows, when their guards are looked up, then provenance, attestations and CodeQL are there", () => {
    assert.deepStrictEqual(guardFaults(textOf), [])
  })

  it("given every lock file, then Dependabot updates its folder", () => {
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
    it(`given ${name}, when an action is used by it, then it is refused`, () => {
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
  ] as const)("given %s without %j, when it is read, then its guard is missed", ([path, guard]) => {
    const text = textOf(path) ?? ""
    assert.include(text, guard)
    assert.lengthOf(
      guardFaults((one) => (one === path ? text.replaceAll(guard, "") : textOf(one))),
      1
    )
  })

  it("given a lock file that Dependabot is not told of, or a folder without one, then each is refused", () => {
    assert.deepStrictEqual(dependabotFaults(dependabot, [...lockFiles, "more/package-lock.json"]), [
      ".github/dependabot.yml: npm lacks the folder /more"
    ])
    assert.lengthOf(dependabotFaults(dependabot, lockFiles.slice(1)), 1)
  })
})
