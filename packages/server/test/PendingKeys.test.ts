/**
 * A key that was answered `PENDING`, over sockets and on PostgreSQL: it is kept for as long as its payment may still be
 * charged, however old it is, and for 24 hours from then on.
 */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServer } from "./support/ServerProcess.ts"

const days30 = 30 * 24 * 60 * 60_000

describe.skipIf(postgresMissing !== undefined)("a key that was answered PENDING", () => {
  it("a repeated claim of 30 days ago has one charge until the payment is settled", async () => {
    const [provider, database] = await Promise.all([startProvider(), newDatabase()])
    const server = await startServer({
      environment: environmentOn(database),
      configuration: configurationWith(connectionTo(provider))
    })
    provider.always("charge", (call) => {
      const { body, status } = call.execute()
      return { status, body: { ...(body as object), status: "pending", captured_amount: 0 } }
    })
    const order = { amount: 1999, currency: "EUR", country: "NL" }
    const create = () => pay(server, "order-0001", order)
    const charges = () => provider.calls.filter(({ operation }) => operation === "charge").length

    const first = await create()
    assert.deepStrictEqual([first.status, first.body.data?.status], [201, "PENDING"], JSON.stringify(first.body))
    // Other times than that of the answer are stored as times since the creation.
    const answeredAt = `(claim::jsonb ->> 'a')::bigint - ${days30}`
    await query(
      database,
      `update payments set created_at = created_at - ${days30}, claimed_at = claimed_at - ${days30},
        claim = (claim::jsonb || jsonb_build_object('a', ${answeredAt}))::text`
    )
    const again = await create()
    assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [201, "true"])
    // The response is stored without the time of creation, which the payment's row says, and which was made older here.
    const { data } = first.body
    const created = new Date(Date.parse(data.created) - days30).toISOString()
    assert.deepStrictEqual(again.body, { ...first.body, data: { ...data, created } })
    assert.strictEqual(charges(), 1)

    // The control: settled as long ago, and the key is a new one.
    await query(
      database,
      `update payments set state = 'Captured', authorized_minor = 1999, captured_minor = 1999,
        book = (book::jsonb || '{"s": 0}')::text`
    )
    await query(database, "delete from due")
    const later = await create()
    assert.notStrictEqual(later.body.data.payment_id, first.body.data.payment_id)
    assert.strictEqual(charges(), 2)
  })
})
