/** Every endpoint of the API against every role, workspace and environment: what a role lacks is not answered. */
import type { accessOf } from "@pointsman/console"
import { environments, type OperatorRole, operatorRoles } from "@pointsman/core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bodyOf, type World, world } from "./support/World.ts"

/** By hand, so that a change of the roles shows here. `null`: every operator. */
const leastRoles: { readonly [Endpoint in keyof typeof accessOf]: OperatorRole | null } = {
  me: null,
  signOutEverywhere: null,
  setPassword: null,
  passkeys: null,
  beginPasskey: null,
  addPasskey: null,
  removePasskey: null,
  day: "viewer",
  payments: "viewer",
  exportPayments: "viewer",
  payment: "viewer",
  capture: "support",
  void: "support",
  refund: "support",
  reviews: "operations",
  review: "operations",
  evidence: "operations",
  corrections: "operations",
  approveCorrection: "operations",
  rejectCorrection: "operations",
  withdrawCorrection: "operations",
  messages: "operations",
  message: "operations",
  applyMessage: "operations",
  routing: "operations",
  successRates: "operations",
  successHistory: "operations",
  previewRouting: "operations",
  connections: "admin",
  connection: "admin",
  keys: "admin",
  keyDraft: "admin",
  createKey: "admin",
  revokeKey: "admin",
  partners: "admin",
  partnerMerchants: "admin",
  inviteMerchant: "admin",
  usage: "admin",
  operators: "admin",
  addOperator: "admin",
  editOperator: "admin",
  removeOperator: "admin",
  createSignInLink: "admin",
  auditTrail: "admin",
  workspaceAudit: "admin",
  endpoints: "viewer",
  payouts: "operations",
  payout: "operations",
  payoutEntries: "operations",
  exportPayout: "operations",
  readReport: "operations",
  balances: "operations",
  journal: "operations",
  endpoint: "viewer",
  deliveries: "viewer",
  delivery: "viewer",
  redeliver: "support",
  rotateSecret: "admin"
}

interface Endpoint {
  readonly name: string
  readonly method: string
  readonly path: string
}

let here: World
let endpoints: ReadonlyArray<Endpoint>
beforeAll(async () => {
  here = world()
  const document = await bodyOf(await here.send("/api/openapi.json"))
  endpoints = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) => {
      const [group, name = ""] = operationId.split(".")
      return group === "entry" ? [] : [{ name, method: method.toUpperCase(), path }]
    })
  )
})
afterAll(() => here.close())

/** Without a body, and about records that there are not: it is refused later than by the role. */
const ask = ({ method, path }: Endpoint, place: Readonly<Record<string, string>>, cookie: string | undefined) =>
  here.send(
    path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => place[name] ?? "01a1fe08-9226-7266-a33a-e3e7f1609a4e"),
    { method, cookie, headers: { "idempotency-key": "a-key-of-nothing" } }
  )

describe("roles", () => {
  it("names every endpoint", () => {
    assert.sameMembers(
      endpoints.map(({ name }) => name),
      Object.keys(leastRoles)
    )
  })

  it("every role is refused what it lacks in each workspace, and nothing else", async () => {
    const differences: Array<unknown> = []
    for (const role of operatorRoles) {
      for (const grant of ["acme", null]) {
        const login = `${role}-${grant}`
        let cookie = await here.signIn(login, [{ workspaceId: grant, role }])
        for (const endpoint of endpoints) {
          const isOfWorkspace = endpoint.path.includes("{workspace}")
          for (const workspace of isOfWorkspace ? ["acme", "globex"] : ["none"]) {
            for (const environment of endpoint.path.includes("{environment}") ? environments : ["none"]) {
              const { status } = await ask(endpoint, { workspace, environment }, cookie)
              const least = leastRoles[endpoint.name as keyof typeof leastRoles]
              const isAllowed =
                least === null ||
                ((grant === null || grant === workspace) && operatorRoles.indexOf(role) >= operatorRoles.indexOf(least))
              if ((status === 403) === isAllowed || status === 401 || status >= 500) {
                differences.push({ role, grant, workspace, environment, endpoint, status })
              }
              if (endpoint.name === "signOutEverywhere") cookie = await here.signInAgain(login)
            }
          }
        }
      }
    }
    assert.deepStrictEqual(differences, [])
  })

  it("every endpoint answers 401 without a session", async () => {
    for (const endpoint of endpoints) {
      for (const cookie of [
        undefined,
        "pointsman_console=",
        `pointsman_console=${"A".repeat(43)}`,
        "pointsman_console=%"
      ]) {
        const response = await ask(endpoint, { workspace: "acme", environment: "sandbox" }, cookie)
        assert.deepStrictEqual([response.status, (await bodyOf(response)).error.code], [401, "not_signed_in"])
      }
    }
  })
})
