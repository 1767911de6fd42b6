/** The archive in a folder and in a bucket: the same tests for both. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import * as PaymentArchive from "@pointsman/archive"
import type { ArchiveService, WholePayment } from "@pointsman/core/ports"
import { Effect, Option, Stream } from "effect"
import { acme, asRead, closedPayment, idAt, march, withDispute, withSettlements } from "./support/Payments.ts"
import { type Body, itRuns, newBucket, newFolder } from "./support/Places.ts"

const places = {
  folder: Effect.map(newFolder, (folder) => ({ folder: join(folder, "not", "there", "yet") })),
  bucket: Effect.map(newBucket, ({ options }) => ({ s3: options }))
}

const other = { workspaceId: "other.shop", environment: "sandbox" } as const
const april = Date.UTC(2019, 3, 2)

for (const [name, place] of Object.entries(places)) {
  const itArchives = (title: string, body: (archive: ArchiveService) => Body) =>
    itRuns(title, function* () {
      yield* body(yield* PaymentArchive.make(yield* place))
    })

  describe(`archive in a ${name}`, () => {
    itArchives("payments of two tenants and months are each found as they were put", function* (archive) {
      const payments = [
        closedPayment({ number: 2 }),
        closedPayment({ number: 1 }),
        closedPayment({ number: 3, at: april, money: { minorUnits: 1_000, currency: "JPY" } }),
        closedPayment({ number: 4, tenant: other, hosted: null })
      ]
      const manifests = yield* archive.put(payments)
      assert.deepStrictEqual(
        manifests.map(({ object }) => object.replace(/[0-9a-f]{64}/u, "<hash>")),
        [
          `payments/acme/production/2019-03/${idAt(march, 2)}_${idAt(march, 1)}_<hash>.jsonl.gz`,
          `payments/acme/production/2019-04/${idAt(april, 3)}_${idAt(april, 3)}_<hash>.jsonl.gz`,
          `payments/other.shop/sandbox/2019-03/${idAt(march, 4)}_${idAt(march, 4)}_<hash>.jsonl.gz`
        ]
      )
      for (const payment of payments) {
        const { id, tenant } = payment.book.payment
        assert.deepStrictEqual(yield* archive.find(tenant, id), Option.some(asRead(payment)))
        const wrongTenant = { ...tenant, workspaceId: "another" }
        assert.deepStrictEqual(yield* archive.find(wrongTenant, id), Option.none())
      }
      assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 9)), Option.none())
      assert.deepStrictEqual(yield* archive.find(acme, idAt(april, 1)), Option.none())
      assert.deepStrictEqual(yield* archive.find(acme, idAt(Date.UTC(2031, 1), 1)), Option.none())
      assert.deepStrictEqual(yield* archive.tenants, [acme, other])
      assert.deepStrictEqual([...(yield* Stream.runCollect(archive.list(acme)))], manifests.slice(0, 2))
      const object = manifests[0]?.object ?? ""
      assert.deepStrictEqual(
        [...(yield* Stream.runCollect(archive.read(object)))],
        [payments[1], payments[0]].map((payment) => asRead(payment as WholePayment))
      )
    })

    itArchives("an object's manifest has its counts, its sums and its times", function* (archive) {
      const [manifest] = yield* archive.put([
        closedPayment({ number: 1 }),
        closedPayment({ number: 2, createdAt: march + 7 }),
        closedPayment({ number: 3, money: { minorUnits: 1_000, currency: "CHF" } })
      ])
      assert.isDefined(manifest)
      const { archivedAt, bytes, linesSha256, object, sha256, ...rest } = manifest
      assert.deepStrictEqual(rest, {
        format: 1,
        tenant: acme,
        payments: 3,
        attempts: 3,
        operations: 3,
        refunds: 3,
        events: 6,
        disputes: 0,
        settlements: 0,
        sums: [
          { currency: "CHF", payments: 1, authorizedMinor: 1_000, capturedMinor: 900, refundedMinor: 100 },
          { currency: "EUR", payments: 2, authorizedMinor: 2_000, capturedMinor: 1_800, refundedMinor: 200 }
        ],
        firstPaymentId: idAt(march, 1),
        lastPaymentId: idAt(march, 3),
        firstCreatedAt: march,
        lastCreatedAt: march + 7
      })
      assert.include(object, sha256)
      assert.match(linesSha256, /^[0-9a-f]{64}$/u)
      assert.isAbove(bytes, 100)
      assert.isAbove(archivedAt, march)
    })

    itArchives("a payment's dispute is read again, and counted where it is verified", function* (archive) {
      const disputed = withDispute(closedPayment({ number: 2, state: "ChargedBack" }))
      const [manifest] = yield* archive.put([closedPayment({ number: 1 }), disputed])
      assert.strictEqual(manifest?.disputes, 1)
      assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 2)), Option.some(asRead(disputed)))
      assert.deepStrictEqual([...(yield* Stream.runCollect(archive.list(acme)))], [manifest])
      assert.deepStrictEqual((yield* archive.verify(acme)).faults, [])
    })

    itArchives("rows of reports are read with a payment, counted, and most of them count", function* (archive) {
      const whole = closedPayment({ number: 2 })
      const one = withSettlements(whole, ["txn_1"])
      const two = withSettlements(whole, ["txn_1", "txn_2"])
      // As archives from before rows were archived.
      const [without] = yield* archive.put([closedPayment({ number: 1 }), whole])
      assert.strictEqual(without?.settlements, 0)
      const [first] = yield* archive.put([one])
      assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 2)), Option.some(asRead(one)))
      // A process died before the removal, and another report came.
      const [second] = yield* archive.put([two])
      assert.deepStrictEqual([first?.settlements, second?.settlements], [1, 2])
      assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 2)), Option.some(asRead(two)))
      const { faults, payments } = yield* archive.verify(acme)
      assert.deepStrictEqual([payments, faults], [2, []])
    })

    itArchives("payments that are put again are in the archive once", function* (archive) {
      const payments = [closedPayment({ number: 1 }), closedPayment({ number: 2 })]
      const [first] = yield* archive.put(payments)
      const [second] = yield* archive.put(payments.toReversed())
      assert.strictEqual(second?.object, first?.object)
      const { objects, payments: count } = yield* archive.verify(acme)
      assert.deepStrictEqual({ objects, count }, { objects: 1, count: 2 })
    })

    itArchives("a payment in two objects counts once in a check, at its greatest version", function* (archive) {
      const before = closedPayment({ number: 2 })
      const after = closedPayment({ number: 2, version: 6, refundedMinor: 300 })
      yield* archive.put([closedPayment({ number: 1 }), before])
      yield* archive.put([after, closedPayment({ number: 3 })])
      yield* archive.put([closedPayment({ number: 5 })])
      assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 2)), Option.some(asRead(after)))
      assert.deepStrictEqual(yield* archive.verify(acme), {
        objects: 3,
        payments: 4,
        sums: [{ currency: "EUR", payments: 4, authorizedMinor: 4_000, capturedMinor: 3_600, refundedMinor: 600 }],
        faults: [],
        faultCount: 0
      })
    })

    itArchives("an empty archive has no tenants, and can be reached after a write", function* (archive) {
      assert.deepStrictEqual(yield* archive.tenants, [])
      yield* archive.put([closedPayment({ number: 1 })])
      yield* archive.reach
    })
  })
}

describe("lines of an object", () => {
  itRuns("no line has what opens something", function* () {
    const folder = yield* newFolder
    const archive = yield* PaymentArchive.make({ folder })
    const [manifest] = yield* archive.put([closedPayment({ number: 1 })])
    const text = gunzipSync(readFileSync(join(folder, manifest?.object ?? ""))).toString("utf8")
    assert.match(text, /^\{"format":1,"id":"[^"]+",.*\}\n$/u)
    for (const secret of ["secret-token-hash", "sealed-checkout-url", "reply"]) assert.notInclude(text, secret)
    assert.include(text, "José")
  })
})
