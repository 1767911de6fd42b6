import { assert, describe, it } from "@effect/vitest"
import { chartFaults, settingFaults, variablesOf } from "../Deployments.ts"
import { files, packages, type TextFile } from "../Files.ts"

const only = (path: string): TextFile => {
  const [file] = files(path)
  if (file === undefined) throw new Error(`${path} is not there`)
  return file
}

describe("deployments", () => {
  it("the server has each setting that the image and the chart name", () => {
    const known = new Set(
      ["Settings", "DatabaseSettings"].flatMap((name) => [...variablesOf(only(`packages/server/src/${name}.ts`))])
    )
    assert.isAbove(known.size, 10)
    assert.isTrue(known.has("POINTSMAN_ENCRYPTION_KEY"))
    const sources = files("deploy/**/*.*", "deploy/docker/Dockerfile", "docs/guides/deploy.md")
    assert.isAbove(sources.length, 10)
    assert.deepStrictEqual(settingFaults(sources, known), [])
  })

  it("the chart's versions are those of the server", () => {
    const server = packages().find(({ dir }) => dir === "packages/server")
    assert.deepStrictEqual(chartFaults(only("deploy/helm/pointsman/Chart.yaml"), server?.manifest.version ?? ""), [])
  })
})

describe("controls: what must be refused", () => {
  it("a setting that the server does not have is refused once", () => {
    const path = "deploy/values.yaml"
    const text = 'POINTSMAN_KNOWN: "1"\nPOINTSMAN_GONE: "2"\n# POINTSMAN_GONE'
    assert.deepStrictEqual(settingFaults([{ path, text }], new Set(["POINTSMAN_KNOWN"])), [
      `${path}: POINTSMAN_GONE is no setting of the server`
    ])
  })

  it("both fields of a chart of another version are refused", () => {
    const chart = { path: "Chart.yaml", text: 'apiVersion: v2\nversion: 1.0.0\nappVersion: "1.0.0"\n' }
    assert.strictEqual(chartFaults(chart, "1.0.1").length, 2)
    assert.deepStrictEqual(chartFaults(chart, "1.0.0"), [])
  })
})
