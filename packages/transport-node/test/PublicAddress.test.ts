import { assert, describe, it } from "@effect/vitest"
import { isPublicAddress } from "../src/PublicAddress.ts"

/** Each range by its first and last address, with the neighbours of those that public ranges touch. */
const refused: Readonly<Record<string, ReadonlyArray<string>>> = {
  unspecified: ["0.0.0.0", "0.255.255.255", "::"],
  loopback: ["127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  "carrier-grade NAT": ["100.64.0.0", "100.100.100.200", "100.127.255.255"],
  "link-local": ["169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::1", "fe80::1%eth0"],
  metadata: ["169.254.169.254", "fd00:ec2::254", "168.63.129.16"],
  "unique local": ["fc00::", "fdff:ffff::1"],
  "site-local": ["fec0::1"],
  multicast: ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::1"],
  reserved: ["240.0.0.0", "255.255.255.255", "192.0.0.1", "192.88.99.1", "198.18.0.0", "198.19.255.255", "100::1"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:a00:1", "::FFFF:169.254.169.254"],
  "IPv4-compatible": ["::127.0.0.1", "::8.8.8.8", "::a00:1"],
  NAT64: ["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "64:ff9b:1::8.8.8.8"],
  "6to4 and Teredo": ["2002:7f00:1::", "2002:808:808::1", "2001::1", "2001:0:808:808::1"],
  "no address": ["", "localhost", "127.1", "[::1]", "1.2.3", "0x7f000001"]
}

const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  IPv4: ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "223.255.255.255"],
  "beside private": ["172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0"],
  "beside the others": [
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0"
  ],
  IPv6: ["2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"],
  "IPv4 inside IPv6": ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b::808:808"]
}

describe("isPublicAddress", () => {
  it.each(Object.entries(refused))("%s addresses are not public", (_, addresses) => {
    assert.deepStrictEqual(addresses.filter(isPublicAddress), [])
  })

  it.each(Object.entries(allowed))("all of the public addresses, %s, are public", (_, addresses) => {
    assert.deepStrictEqual(addresses.filter(isPublicAddress), addresses)
  })
})
