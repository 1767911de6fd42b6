/** What a key may name as a network. */
import { assert, describe, it } from "@effect/vitest"
import { isNetwork } from "../src/model/ApiKey.ts"

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
