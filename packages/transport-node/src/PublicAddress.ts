/**
 * Which addresses are on the public internet. The author of a URL must not reach what only this machine or its network
 * can: loopback, private, link-local and the addresses at which clouds hand out credentials. The ranges are those that
 * IANA's registries of special-purpose addresses call not globally reachable.
 */
import { BlockList, isIP } from "node:net"

const refusedV4: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  // Azure's metadata and agents: a public address that answers only from inside.
  ["168.63.129.16", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
]

/** Within global unicast: protocol assignments with Teredo, documentation, 6to4, segment routing. */
const refusedV6: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
]

/** Networks of 96 bits that carry an IPv4 address in the rest: NAT64, and IPv4-mapped. */
const carriers = ["64:ff9b::", "::ffff:"]

let made: { readonly v4: BlockList; readonly v6: BlockList; readonly globalV6: BlockList } | undefined

/** Made for the first address that is asked about: no start waits for them. */
const makeLists = () => {
  const v4 = new BlockList()
  for (const [network, prefix] of refusedV4) v4.addSubnet(network, prefix, "ipv4")
  // What is neither global unicast nor carries an IPv4 address is refused, so that no range can be forgotten.
  const globalV6 = new BlockList()
  globalV6.addSubnet("2000::", 3, "ipv6")
  for (const carrier of carriers) globalV6.addSubnet(`${carrier}0.0.0.0`, 96, "ipv6")
  const v6 = new BlockList()
  for (const [network, prefix] of refusedV6) v6.addSubnet(network, prefix, "ipv6")
  for (const carrier of carriers) {
    for (const [network, prefix] of refusedV4) v6.addSubnet(`${carrier}${network}`, 96 + prefix, "ipv6")
  }
  made = { v4, v6, globalV6 }
  return made
}

/** `address`: an IPv4 or IPv6 address in any spelling, without brackets. What is no address is not public. */
export const isPublicAddress = (address: string): boolean => {
  const { globalV6, v4, v6 } = made ?? makeLists()
  switch (isIP(address)) {
    case 4:
      return !v4.check(address, "ipv4")
    case 6:
      return globalV6.check(address, "ipv6") && !v6.check(address, "ipv6")
    default:
      return false
  }
}

// Addresses and CIDR ranges, as settings and API keys name them.

/** Whether an address is in one of the networks, such as `10.0.0.0/8` or `2001:db8::1`; they must be valid. */
export const inNetworks = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", prefix] = network.split("/")
    const family = familyOf(address)
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address) => {
    const plain = plainAddress(address)
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain))
  }
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")

/** `::ffff:192.0.2.1`: an IPv4 address, as a socket for both shows it. */
export const plainAddress = (address: string): string => (/^::ffff:\d+\./iu.test(address) ? address.slice(7) : address)
