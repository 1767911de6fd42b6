/**
 * Who a request comes from, for limits by source: the address of its connection, or, where that is a proxy which the
 * settings trust, the last address of `X-Forwarded-For` that is not a trusted proxy's. What stands before that address
 * in the header is the client's own words.
 */
import { BlockList, isIP } from "node:net"

export interface Sources {
  readonly isTrusted: (address: string) => boolean
  /** `forwardedFor`: the header `X-Forwarded-For`, with several joined by commas. */
  readonly sourceOf: (address: string | undefined, forwardedFor: string | undefined) => string
}

/** `trusted`: addresses, and ranges such as `10.0.0.0/8`, as `readProxies` gives them. */
export const makeSources = (trusted: ReadonlyArray<string>): Sources => {
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [address = "", prefix] = entry.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    if (prefix === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(prefix), family)
  }
  const isTrusted = (address: string) =>
    trusted.length > 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
  return {
    isTrusted: (address) => isTrusted(plain(address)),
    sourceOf: (address, forwardedFor) => {
      let source = plain(address ?? "")
      if (forwardedFor === undefined || !isTrusted(source)) return block(source)
      for (const hop of forwardedFor.split(",").reverse()) {
        const before = plain(withoutPort(hop.trim()))
        // Whatever a trusted proxy wrote that is no address, it was the last one to say something.
        if (isIP(before) === 0) break
        source = before
        if (!isTrusted(source)) break
      }
      return block(source)
    }
  }
}

/** `::ffff:192.0.2.1`: an IPv4 address, as a socket for both shows it. */
const plain = (address: string): string => (/^::ffff:\d+\./iu.test(address) ? address.slice(7) : address)

/** `192.0.2.1:4711`, `[2001:db8::1]:4711` */
const withoutPort = (text: string): string =>
  /^\[(.+)\](?::\d+)?$/u.exec(text)?.[1] ?? /^([\d.]+):\d+$/u.exec(text)?.[1] ?? text

/** Whoever has one IPv6 address has the 2^64 of its network. */
const block = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = "", tail] = (address.split("%")[0] as string).split("::")
  const first = head === "" ? [] : head.split(":")
  const last = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (last.at(-1)?.includes(".") === true ? 1 : 0)
  return [...first, ...Array<string>(zeros).fill("0"), ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
    .concat("::/64")
}

/** A header that Node may give as a list. */
export const asText = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  header === undefined || typeof header === "string" ? header : header.join(",")
