import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { apiKeyEntropyBytes, environmentOfApiKey, formatApiKey, isNetwork } from "../src/model/ApiKey.ts"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The format of a key, written apart from the code under test. */
const keyFor = (prefix: string, body: string): string => {
  let rest = BigInt(crc32(body))
  const digits: Array<string> = []
  for (let place = 0; place < 6; place++) {
    digits.unshift(base62[Number(rest % 62n)] as string)
    rest /= 62n
  }
  return prefix + body + digits.join("")
}

const random = (seed: number, length: number): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

describe("API keys", () => {
  it("a key from random bytes is well-formed and of its environment", () => {
    for (let seed = 0; seed < 500; seed++) {
      const bytes = random(seed, apiKeyEntropyBytes)
      for (const [environment, prefix] of [
        ["sandbox", "ps_test_"],
        ["production", "ps_live_"]
      ] as const) {
        const key = formatApiKey(environment, bytes)
        assert.strictEqual(key.length, 46)
        assert.strictEqual(key, keyFor(prefix, key.slice(8, 40)))
        assert.strictEqual(environmentOfApiKey(key), environment)
      }
    }
  })

  it("the padding of a checksum that starts with zeros counts when a key is read", () => {
    const bodies = Array.from({ length: 5_000 }, (_, at) => String(at).padStart(32, "0"))
    const padded = bodies.find((body) => keyFor("", body).slice(32).startsWith("00"))
    assert.isDefined(padded)
    const key = keyFor("ps_test_", padded as string)
    assert.strictEqual(environmentOfApiKey(key), "sandbox")
    assert.isUndefined(environmentOfApiKey(key.slice(0, 40) + key.slice(42)))
  })

  it("a key with one wrong, missing or extra character is no key", () => {
    const key = formatApiKey("production", random(1, apiKeyEntropyBytes))
    for (let at = 8; at < key.length; at++) {
      const wrong = key[at] === "a" ? "b" : "a"
      assert.isUndefined(environmentOfApiKey(key.slice(0, at) + wrong + key.slice(at + 1)), `place ${at}`)
      assert.isUndefined(environmentOfApiKey(key.slice(0, at) + key.slice(at + 1)), `place ${at}`)
    }
    const others = ["", `${key} `, ` ${key}`, `${key}\n`, key.toUpperCase(), key.replace("ps_live_", "ps_prod_")]
    for (const wrong of others) assert.isUndefined(environmentOfApiKey(wrong))
  })

  it("bytes that would favour the first characters are discarded when a key is written", () => {
    const high = Uint8Array.from({ length: apiKeyEntropyBytes }, (_, at) => (at % 2 === 0 ? 255 : 61))
    assert.strictEqual(formatApiKey("sandbox", high).slice(8, 40), "z".repeat(32))
    assert.throws(() => formatApiKey("sandbox", new Uint8Array(apiKeyEntropyBytes).fill(248)), RangeError)
  })
})

describe("a network", () => {
  it.each([
    "10.0.0.0/8",
    "0.0.0.0/0",
    "203.0.113.7",
    "203.0.113.7/32",
    "2001:db8::/32",
    "::1",
    "::/0",
    "::ffff:10.1.2.3"
  ])("%s is a network", (text) => assert.isTrue(isNetwork(text)))

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0/8",
    "256.0.0.1",
    "010.0.0.1",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "2001:db8::/129",
    "2001:db8:::1",
    "fe80::1%eth0",
    "[::1]",
    "shop.example",
    " 10.0.0.1"
  ])("%j is no network", (text) => assert.isFalse(isNetwork(text)))
})
