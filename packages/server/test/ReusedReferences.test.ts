/** An adapter of the connector `http` that gives one reference to two payments, through a running server. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"

/** The next charge is executed, and answered under the reference of the first one. */
const reuses = (provider: ScriptedProvider) =>
  provider.next("charge", (call) => {
    const { body, status } = call.execute()
    return { status, body: { ...(body as object), provider_reference: provider.charges[0]?.providerReference } }
  })

describe("a reference that an adapter gives twice", () => {
  for (const database of ["sqlite:pointsman.db", "sqlite::memory:"]) {
    it(`${database} reviews both payments, and the first one continues`, async () => {
      const provider = await startProvider()
      const folder = temporaryFolder()
      const server = await startServerHere({
        folder,
        configuration: configurationWith(connectionTo(provider)),
        environment:
          database === "sqlite::memory:"
            ? { POINTSMAN_DATABASE_URL: database, POINTSMAN_ALLOW_VOLATILE_STORAGE: "true" }
            : {}
      })
      const create = async (reference: string) => {
        const body = { amount: 1999, currency: "EUR", country: "NL", reference }
        const made = await pay(server, `order-${reference}`, body)
        assert.strictEqual(made.status, 201)
        return made.body.data
      }
      const first = await create("first")
      reuses(provider)
      const second = await create("second")
      assert.deepStrictEqual([first.payment_status, second.payment_status], ["CAPTURED", "UNKNOWN"])
      for (const [one, other] of [
        [first, second],
        [second, first]
      ]) {
        const { body } = await server.request("GET", `${path}/${one.payment_id}/events`, { key: liveKey })
        const conflicts = body.data.filter(({ type }: { readonly type: string }) => type === "payment.conflict")
        assert.lengthOf(conflicts, 1)
        assert.deepInclude(conflicts[0].data, {
          provider_reference: provider.charges[0]?.providerReference,
          other_payment_id: other.payment_id
        })
      }
      const refunded = await server.request("POST", `${path}/${first.payment_id}/refunds`, {
        key: liveKey,
        body: { amount: 500 }
      })
      assert.strictEqual(refunded.status, 200)
      if (database === "sqlite::memory:") return

      const listed = documentOf(await runHere(folder, ["unknown", "list", "--json"], {})).data
      const reasonsOf = ({ payment_id }: { readonly payment_id: string }) =>
        listed.find((one: { readonly payment_id: string }) => one.payment_id === payment_id)?.review.reasons
      assert.lengthOf(listed, 2)
      assert.deepStrictEqual(reasonsOf(first), ["reference_reused"])
      assert.deepStrictEqual(reasonsOf(second), ["unknown", "reference_reused"])
    })
  }
})
