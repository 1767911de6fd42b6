/**
 * How a webhook's connection is opened: to public addresses alone, unless private ones are allowed.
 *
 * The addresses that were checked are the ones that are connected to. A
 * name is resolved once, by the connection itself, so that a name server which answers something else a moment later
 * (DNS rebinding) is not asked.
 */
import { type LookupAddress, promises } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import type { buildConnector } from "undici"
import { codeOf } from "./Call.ts"
import { ownAuthorities } from "./Connect.ts"
import { isPublicAddress } from "./PublicAddress.ts"

/** Nothing was sent: no connection was established. */
export class NotConnected extends Error {
  readonly failure: "NoConnection" | "AddressRefused"

  constructor(failure: "NoConnection" | "AddressRefused", message: string) {
    super(message)
    this.failure = failure
  }
}

/** All addresses of a name; never none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<LookupAddress>>

/**
 * By Node's own resolver and not by the system's, which takes a thread for each name: names that merchants chose, at
 * name servers that never answer, would hold the few threads which everything else here waits for.
 */
export const resolvePublic: Resolve = async (hostname) => {
  const resolver = new promises.Resolver({ timeout: 3_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = found.flatMap((result, index) =>
    result.status === "fulfilled" ? result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : []
  )
  if (addresses.length === 0) throw new NotConnected("NoConnection", "the host name has no address")
  return addresses
}

/** By the system's resolver, which knows the names of this machine and its network. */
export const resolveBySystem: Resolve = (hostname) => promises.lookup(hostname, { all: true })

const refusal = (): NotConnected =>
  new NotConnected("AddressRefused", "the target is a loopback or private address, which is not allowed")

export const webhookConnector = (
  build: typeof buildConnector,
  options: {
    readonly allowPrivate: boolean
    readonly resolve: Resolve
    readonly timeoutMillis: number
    readonly trustedCertificates: ReadonlyArray<string>
  }
): buildConnector.connector => {
  const isAllowed = (address: string) => options.allowPrivate || isPublicAddress(address)

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    options.resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        // One that is not allowed refuses the name: the connection may try any of them.
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) callback(refusal(), "", 0)
        else if (all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, "", 0)
    )
  }

  const open = build({
    allowH2: false,
    timeout: options.timeoutMillis,
    lookup,
    ...(options.trustedCertificates.length === 0 ? {} : { ca: [...ownAuthorities(), ...options.trustedCertificates] })
  })
  return (to, callback) => {
    // An address is connected to without a lookup.
    const host = to.hostname.replace(/^\[(.*)\]$/u, "$1")
    if (isIP(host) !== 0 && !isAllowed(host)) {
      callback(refusal(), null)
      return
    }
    open(to, (...[error, socket]) => {
      if (error === null) callback(null, socket)
      else callback(error instanceof NotConnected ? error : notConnected(error), null)
    })
  }
}

/** The causes of Node are not passed on: the code says enough. */
const notConnected = (error: Error): NotConnected => new NotConnected("NoConnection", `no connection${codeOf(error)}`)
