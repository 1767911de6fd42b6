/** What the files of deployments name has to be there: a variable that no server reads would be believed to work. */
import { assert, describe, it } from "@effect/vitest"
import { variables } from "../../../packages/server/src/Settings.ts"
import { files, packages, type TextFile, textAt } from "../Files.ts"

const known: ReadonlyArray<string> = Object.values(variables).map(({ variable }) => variable)

/** Everything with the prefix of our settings. */
const settingFaults = (sources: ReadonlyArray<TextFile>, named = known): ReadonlyArray<string> =>
  sources.flatMap(({ path, text }) =>
    [...new Set(text.match(/\b(?:POINTSMAN|OTEL)_[A-Z]+(?:_[A-Z]+)*\b/gu))]
      .filter((name) => !named.includes(name))
      .map((name) => `${path}: ${name} is no setting of the server`)
  )

const overlay = "deploy/kubernetes/example/kustomization.yaml"
const tagOf = (text: string | undefined) => /newTag: (\S+)/u.exec(text ?? "")?.[1]

describe("deployments", () => {
  it("the server has each setting that the image and the manifests name", () => {
    assert.include(known, "POINTSMAN_ENCRYPTION_KEY")
    const sources = files("deploy/**/*.*", "deploy/docker/Dockerfile", "docs/guides/deploy.md")
    assert.isAbove(sources.length, 10)
    assert.deepStrictEqual(settingFaults(sources), [])
  })

  it("control: a setting that the server does not have is refused once", () => {
    const text = 'POINTSMAN_KNOWN: "1"\nPOINTSMAN_GONE: "2"\n# POINTSMAN_GONE'
    assert.deepStrictEqual(settingFaults([{ path: "deployment.yaml", text }], ["POINTSMAN_KNOWN"]), [
      "deployment.yaml: POINTSMAN_GONE is no setting of the server"
    ])
  })

  it("the image's own Node makes its snapshot, and not the one that npm finds", () => {
    assert.match(textAt("deploy/docker/Dockerfile") ?? "", /&& node scripts\/build\/Snapshot\.ts$/mu)
  })

  it("the tag in the example of an overlay is the version of the server", () => {
    const server = packages().find(({ dir }) => dir === "packages/server")
    assert.isDefined(server?.manifest.version)
    assert.strictEqual(tagOf(textAt(overlay)), server?.manifest.version)
  })
})
