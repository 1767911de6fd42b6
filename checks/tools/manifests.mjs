/**
 * Validates the manifests of `deploy/kubernetes` against the schemas of Kubernetes and of the Prometheus operator. The API
 * server refuses what they refuse, and fields that they do not know.
 */
import assert from "node:assert"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse } from "yaml"

const folder = join(import.meta.dirname, "../../deploy/kubernetes")

const modelOf = async ({ apiVersion, kind }) => {
  const models = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models"
  return (await import(`${models}/${apiVersion}/${kind}`))[kind]
}

/** The validators read every field that they know: what remains unread is unknown. */
const watched = (value, path, unread) => {
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value)) for (const name of Object.keys(value)) unread.add(`${path}/${name}`)
  const inner = Object.entries(value).map(([name, field]) => [name, watched(field, `${path}/${name}`, unread)])
  const copy = Array.isArray(value) ? inner.map(([, field]) => field) : Object.fromEntries(inner)
  const get = (fields, name) => {
    unread.delete(`${path}/${String(name)}`)
    return fields[name]
  }
  return new Proxy(copy, { get })
}

const selectorOf = ({ kind, spec }) => (kind === "Service" ? spec.selector : spec.selector?.matchLabels)
const selecting = ["Deployment", "Service", "PodDisruptionBudget", "ServiceMonitor"]

const faultsOf = async (manifest) => {
  const Model = await modelOf(manifest)
  const unread = new Set()
  try {
    // Not by an instance, which copies, and so reads, every field.
    Model.prototype.validate.call(watched(manifest, "", unread))
  } catch (error) {
    return [error.message]
  }
  const isSelecting =
    !selecting.includes(manifest.kind) || selectorOf(manifest)?.["app.kubernetes.io/name"] === "pointsman"
  return [...[...unread].map((path) => `${path} is unknown`), ...(isSelecting ? [] : ["it does not select the pods"])]
}

const read = (path) => parse(readFileSync(join(folder, path), "utf8"))

/** A name in a kustomization that leads nowhere, and a manifest that no kustomization names. */
const kustomizations = globSync("*/kustomization.yaml", { cwd: folder })
const named = kustomizations.flatMap((path) => {
  const { components = [], resources = [] } = read(path)
  return [...components, ...resources].map((name) => join(dirname(path), name))
})
for (const path of named) assert(existsSync(join(folder, path)), `${path} is named and does not exist`)
const manifests = globSync("*/*.yaml", { cwd: folder }).filter((path) => !kustomizations.includes(path))
assert(manifests.length >= 6, "expected the manifests of deploy/kubernetes")

for (const path of manifests) {
  assert(named.includes(path), `${path} is in no kustomization`)
  assert.deepStrictEqual(await faultsOf(read(path)), [], path)
}

// Controls: what must be refused.
const deployment = read("base/deployment.yaml")
const budget = read("base/poddisruptionbudget.yaml")
for (const [broken, message] of [
  [{ ...deployment, spec: { ...deployment.spec, replicas: "two" } }, /replicas must be integer/u],
  [{ ...deployment, spec: { ...deployment.spec, replica: 3 } }, /\/spec\/replica is unknown/u],
  [{ ...budget, spec: { maxUnavailable: 1 } }, /does not select/u]
]) {
  assert.match((await faultsOf(broken)).join("; "), message)
}
console.log(`${manifests.length} manifests are valid`)
