/** An encryption key that a program replaces. */
import { assert, describe, it } from "vitest"
import { encryptionKey, failureOf, folder, inFiles, open, order, otherEncryptionKey } from "./support/Shop.ts"

describe("an encryption key that is replaced", () => {
  it("the next start after a rotation needs only the new key, and knows the request", async () => {
    const settings = inFiles(folder())
    const options = { idempotencyKey: "order-0001" }
    const { pointsman: before } = await open(settings)
    const made = await before.create(order, options)
    await before.close()

    const both = { ...settings, encryptionKey: otherEncryptionKey, previousEncryptionKeys: [encryptionKey] }
    const { pointsman: shop } = await open(both)
    const { left, resealed, unreadable } = await shop.rotateEncryption()
    assert.isAbove(resealed, 1)
    assert.deepStrictEqual(
      left.map(({ texts }) => texts),
      [resealed, 0]
    )
    assert.strictEqual(unreadable, 0)
    await shop.close()

    const { pointsman: after } = await open({ ...settings, encryptionKey: otherEncryptionKey })
    const again = await after.create(order, options)
    assert.deepStrictEqual(again.payment, made.payment)
    await after.close()
    const refused = await failureOf(open(settings))
    assert.propertyVal(refused, "code", "wrong_encryption_key")
  })

  it.each<[string, unknown]>([
    ["a short text", ["x"]],
    ["a text", encryptionKey],
    ["a number", [1]]
  ])("a start with %s as previous keys is refused", async (_, keys) => {
    const refused = await failureOf(
      open({ ...inFiles(folder()), previousEncryptionKeys: keys as ReadonlyArray<string> })
    )
    assert.match(String(refused), /previousEncryptionKeys: expected an array of keys, each base64 of 32 bytes/u)
  })
})
