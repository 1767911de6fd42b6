/** Addresses and CIDR ranges, as settings and API keys name them. */
import { BlockList, isIP } from "node:net"

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
