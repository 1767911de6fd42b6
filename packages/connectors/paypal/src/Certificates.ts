/**
 * The certificates with which PayPal signs its messages: fetched from PayPal's own address, verified as a chain that ends at a
 * root which Node trusts, and kept for a day.
 *
 * Anybody can send a message that names an address, so that only PayPal's own hosts are asked, and only so often; a
 * certificate that is not PayPal's by its chain and its name is rejected.
 */
import { type KeyObject, X509Certificate } from "node:crypto"
import { getCACertificates } from "node:tls"
import { type Environment, MessageUnverified, type Transport } from "@pointsman/core/connector"
import { Effect, Semaphore } from "effect"

export interface Certificates {
  /** The key of the certificate at this address. `at`: when the message came, in epoch milliseconds. */
  readonly keyAt: (url: string, at: number) => Effect.Effect<KeyObject, MessageUnverified>
}

export interface CertificatesOptions {
  readonly environment: Environment
  readonly timeoutMillis: number
  /** PEM of the roots that are trusted. */
  readonly roots: () => ReadonlyArray<string>
}

/**
 * Those that come with Node, and those that its options and `NODE_EXTRA_CA_CERTS` add. With `--use-openssl-ca` Node trusts the
 * system's alone, which may lack PayPal's.
 */
export const rootsOfNode = (): ReadonlyArray<string> => [
  ...new Set([...getCACertificates("default"), ...getCACertificates("bundled")])
]

/** `cert_url` of `verify_webhook_signature` (`notifications_webhooks_v1`); both names are of PayPal's REST API. */
const addresses = {
  sandbox: /^https:\/\/api(?:-m)?\.sandbox\.paypal\.com\/v1\/notifications\/certs\/CERT-[0-9A-Za-z-]{1,100}$/u,
  production: /^https:\/\/api(?:-m)?\.paypal\.com\/v1\/notifications\/certs\/CERT-[0-9A-Za-z-]{1,100}$/u
} as const satisfies Record<Environment, RegExp>

/** PayPal has one at a time, and some overlap when it replaces it. */
const keptAtMost = 8
const keptMillis = 24 * 60 * 60 * 1000
/**
 * A sender that invents addresses causes this many requests and no more, and as many for addresses that were verified before, if
 * they fail. PayPal repeats a message that was refused.
 */
const fetchesAtMost = 10
const fetchesWithinMillis = 60_000
/** A chain has three certificates, of some 2 kB each. */
const answerAtMost = 64 * 1024
const chainAtMost = 8

interface Kept {
  readonly key: KeyObject
  readonly until: number
}

const unverified = (reason: string): MessageUnverified => new MessageUnverified({ reason })

export const makeCertificates = (
  transport: Transport["Service"],
  { environment, roots, timeoutMillis }: CertificatesOptions
): Certificates => {
  const kept = new Map<string, Kept>()
  // One at a time: messages that come together wait for one answer.
  const turn = Semaphore.makeUnsafe(1)
  let trusted: ReadonlyArray<X509Certificate> | undefined
  const fetchNew = limited()
  const fetchAgain = limited()

  const knownAt = (url: string, at: number): KeyObject | undefined => {
    const known = kept.get(url)
    return known !== undefined && at < known.until ? known.key : undefined
  }

  const fetched = Effect.fnUntraced(function* (url: string, at: number) {
    // An address that was PayPal's before does not compete with invented ones.
    const isWithinLimit = kept.has(url) ? fetchAgain(at) : fetchNew(at)
    if (!isWithinLimit) return yield* unverified("too many certificates were asked for in a minute")
    const answer = yield* transport
      .send({ method: "GET", url, headers: {}, timeoutMillis, maxAnswerBytes: answerAtMost })
      .pipe(Effect.mapError(() => unverified("PayPal did not answer with its certificate")))
    if (answer.status !== 200) return yield* unverified(`its certificate was answered with status ${answer.status}`)
    trusted ??= roots().flatMap(readCertificates)
    const read = verifiedChain(answer.body, trusted, at)
    if (typeof read === "string") return yield* unverified(read)
    kept.delete(url)
    const [oldest] = kept.keys()
    if (kept.size >= keptAtMost && oldest !== undefined) kept.delete(oldest)
    kept.set(url, { key: read.key, until: Math.min(read.until, at + keptMillis) })
    return read.key
  })

  return {
    keyAt: (url, at) => {
      if (!addresses[environment].test(url)) return Effect.fail(unverified("its certificate's address is not PayPal's"))
      const known = Effect.sync(() => knownAt(url, at))
      const orFetched = Effect.filterOrElse(known, isKnown, () => fetched(url, at))
      return Effect.filterOrElse(known, isKnown, () => turn.withPermit(orFetched))
    }
  }
}

/** Whether one more fetch is within the limit, which counts it. */
const limited = () => {
  let fetches: ReadonlyArray<number> = []
  return (at: number): boolean => {
    fetches = fetches.filter((earlier) => Math.abs(at - earlier) < fetchesWithinMillis)
    if (fetches.length >= fetchesAtMost) return false
    fetches = [...fetches, at]
    return true
  }
}

const isKnown = (key: KeyObject | undefined): key is KeyObject => key !== undefined

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/gu

const readCertificates = (pem: string): ReadonlyArray<X509Certificate> =>
  (pem.match(block) ?? []).slice(0, chainAtMost).flatMap((one) => {
    try {
      return [new X509Certificate(one)]
    } catch {
      return []
    }
  })

/** The name of PayPal's certificate, as its SDK for Python checks it (https://github.com/paypal/PayPal-Python-SDK). */
const isOfPayPal = ({ subject }: X509Certificate): boolean =>
  /(?:^|\n)CN=[a-z0-9.-]+\.paypal\.com(?:\n|$)/u.test(subject)

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, at: number): boolean =>
  validFromDate.getTime() <= at && at <= validToDate.getTime()

const isIssuedBy = (one: X509Certificate, other: X509Certificate): boolean =>
  other.ca && one.checkIssued(other) && one.verify(other.publicKey)

/** The key of the first certificate, and until when all of the chain are valid; or why it is not PayPal's. */
const verifiedChain = (pem: string, roots: ReadonlyArray<X509Certificate>, at: number): Kept | string => {
  const [leaf, ...others] = readCertificates(pem)
  if (leaf === undefined) return "its certificate cannot be read"
  if (!isOfPayPal(leaf)) return "its certificate does not name PayPal"
  if (leaf.publicKey.asymmetricKeyType !== "rsa") return "its certificate has no RSA key"
  let until = Number.POSITIVE_INFINITY
  let current = leaf
  for (let step = 0; step < chainAtMost; step++) {
    if (!isValidAt(current, at)) return "a certificate of its chain is not valid at this time"
    until = Math.min(until, current.validToDate.getTime())
    const below = current
    if (roots.some((root) => isValidAt(root, at) && isIssuedBy(below, root))) return { key: leaf.publicKey, until }
    const above = others.find((other) => other.fingerprint256 !== below.fingerprint256 && isIssuedBy(below, other))
    if (above === undefined) break
    current = above
  }
  return "its certificate's chain does not end at a trusted root"
}
