import { assert, describe, it } from "@effect/vitest"
import { settingFaults, tagFaults, variablesOf } from "../Deployments.ts"
import { files, packages, type TextFile } from "../Files.ts"

const only = (path: string): TextFile => {
  const [file] = files(path)
  if (file === undefined) throw new Error(`${path} is not there`)
  return file
}

describe("deployments", () => {
  it("the server has each setting that the image and the manifests name", () => {
    const known = new Set(
      ["Settings", "DatabaseSettings"].flatMap((name) => [...variablesOf(only(`packages/server/src/${name}.ts`))])
    )
    assert.isAbove(known.size, 10)
    assert.isTrue(known.has("POINTSMAN_ENCRYPTION_KEY"))
    const sources = files("deploy/**/*.*", "deploy/docker/Dockerfile", "docs/guides/deploy.md")
    assert.isAbove(sources.length, 10)
    assert.deepStrictEqual(settingFaults(sources, known), [])
  })

  it("the image's own Node makes its snapshot, and not the one that npm finds", () => {
    assert.match(only("deploy/docker/Dockerfile").text, /&& node scripts\/build\/Snapshot\.ts$/mu)
  })

  it("the tag in the example of an overlay is the version of the server", () => {
    const server = packages().find(({ dir }) => dir === "packages/server")
    const example = only("deploy/kubernetes/example/kustomization.yaml")
    assert.deepStrictEqual(tagFaults(example, server?.manifest.version ?? ""), [])
  })
})

describe("controls: what must be refused", () => {
  it("a setting that the server does not have is refused once", () => {
    const path = "deploy/deployment.yaml"
    const text = 'POINTSMAN_KNOWN: "1"\nPOINTSMAN_GONE: "2"\n# POINTSMAN_GONE'
    assert.deepStrictEqual(settingFaults([{ path, text }], new Set(["POINTSMAN_KNOWN"])), [
      `${path}: POINTSMAN_GONE is no setting of the server`
    ])
  })

  it("a tag of another version and a missing one are refused", () => {
    const overlay = { path: "kustomization.yaml", text: "images:\n  - { name: pointsman, newTag: 1.0.0 }\n" }
    assert.strictEqual(tagFaults(overlay, "1.0.1").length, 1)
    assert.strictEqual(tagFaults({ ...overlay, text: "" }, "1.0.0").length, 1)
    assert.deepStrictEqual(tagFaults(overlay, "1.0.0"), [])
  })
})
