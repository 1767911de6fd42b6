/**
 * Who a request comes from, for limits by source: the address of its connection, or, where that is a proxy which the
 * settings trust, the last address of `X-Forwarded-For` that is not a trusted proxy's. What stands before that address
 * in the header is the client's own words.
 */
import { isIP } from "node:net"
import { ComesFrom, Source } from "@pointsman/http"
import { inNetworks, plainAddress as plain } from "@pointsman/transport-node"
import { Effect, Layer, Option } from "effect"
import type { Settings } from "./Settings.ts"

export interface Sources {
  readonly isTrusted: (address: string) => boolean
  /** `forwardedFor`: the header `X-Forwarded-For`, with several joined by commas. */
  readonly sourceOf: (address: string | undefined, forwardedFor: string | undefined) => string
  /** The whole address, where `sourceOf` gives the network of an IPv6 address. */
  readonly addressOf: (address: string | undefined, forwardedFor: string | undefined) => string
}

/** `trusted`: addresses, and ranges such as `10.0.0.0/8`, as `readProxies` gives them. */
export const makeSources = (trusted: ReadonlyArray<string>): Sources => {
  const isTrusted = inNetworks(trusted)
  const addressOf: Sources["addressOf"] = (address, forwardedFor) => {
    let source = plain(address ?? "")
    if (forwardedFor === undefined || !isTrusted(source)) return source
    for (const hop of forwardedFor.split(",").reverse()) {
      const before = plain(withoutPort(hop.trim()))
      // Whatever a trusted proxy wrote that is no address, it was the last one to say something.
      if (isIP(before) === 0) break
      source = before
      if (!isTrusted(source)) break
    }
    return source
  }
  return { isTrusted, addressOf, sourceOf: (address, forwardedFor) => block(addressOf(address, forwardedFor)) }
}

/** `192.0.2.1:4711`, `[2001:db8::1]:4711` */
const withoutPort = (text: string): string =>
  /^\[(.+)\](?::\d+)?$/u.exec(text)?.[1] ?? /^([\d.]+):\d+$/u.exec(text)?.[1] ?? text

/** A client with one IPv6 address has the 2^64 of its network. */
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

const unnamedProxy =
  "a request has X-Forwarded-For, and POINTSMAN_TRUSTED_PROXIES names no proxy: if a proxy sent it, all clients behind it are one source, and share its limits and its sign-ins"

export const sourceLayer = ({ trustedProxies }: Pick<Settings, "trustedProxies">): Layer.Layer<never> => {
  const { addressOf, sourceOf } = makeSources(trustedProxies)
  return Layer.mergeAll(
    Layer.effect(
      Source,
      Effect.map(Effect.context<never>(), (context) => {
        let isSaid = trustedProxies.length > 0
        return ({ headers, remoteAddress }) => {
          if (!isSaid && headers["x-forwarded-for"] !== undefined) {
            isSaid = true
            Effect.runForkWith(context)(Effect.logWarning(unnamedProxy))
          }
          return sourceOf(Option.getOrUndefined(remoteAddress), headers["x-forwarded-for"])
        }
      })
    ),
    Layer.succeed(ComesFrom, ({ headers, remoteAddress }, networks) =>
      inNetworks(networks)(addressOf(Option.getOrUndefined(remoteAddress), headers["x-forwarded-for"]))
    )
  )
}
