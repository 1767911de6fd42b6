/**
 * API keys: `ps_test_` or `ps_live_`, 32 base62 characters, and the CRC-32 of those characters in base62, left-padded
 * with `0` to 6. The checksum distinguishes a typing mistake from an unknown key without asking the store, which holds
 * a SHA-256 of the key and nothing else.
 */
import type { Environment } from "./Tenant.ts"

export const scopes = [
  "payments:read",
  "payments:write",
  "refunds:write",
  "disputes:read",
  "disputes:write",
  "events:read",
  "merchants:read",
  "merchants:write"
] as const

export type Scope = (typeof scopes)[number]

export interface ApiKey {
  /** Lower-case hex SHA-256 of the key. */
  readonly hash: string
  readonly workspaceId: string
  readonly environment: Environment
  /** `null`: every scope, also those that are added later. */
  readonly scopes: ReadonlyArray<Scope> | null
  /** What operators call it; `null` for no name. */
  readonly name: string | null
  /** Epoch milliseconds, from which on the key is refused; `null` for no expiry. */
  readonly expiresAt: number | null
  /** IP addresses and CIDR ranges (`isNetwork`) that requests may come from; `null` for any. */
  readonly networks: ReadonlyArray<string> | null
  /** Epoch milliseconds; `null` while the key works. */
  readonly revokedAt: number | null
  /** A key that the configuration file brought is revoked when the file no longer names it. */
  readonly source: "configuration" | "operator"
  readonly createdAt: number
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const prefixes: Readonly<Record<Environment, string>> = { sandbox: "ps_test_", production: "ps_live_" }
const shape = /^(ps_test_|ps_live_)([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/u

/** Random bytes that a key is made of: 32 characters, with enough to throw away those that would bias it. */
export const apiKeyEntropyBytes = 64

/** Writes a key from `apiKeyEntropyBytes` random bytes. */
export const formatApiKey = (environment: Environment, entropy: Uint8Array): string => {
  // 248 is the largest multiple of 62 below 256: bytes above it would favour the first characters.
  const body = Array.from(entropy)
    .filter((byte) => byte < 248)
    .slice(0, 32)
    .map((byte) => base62[byte % 62])
    .join("")
  if (body.length < 32) throw new RangeError("too few random bytes for an API key")
  return `${prefixes[environment]}${body}${checksum(body)}`
}

/** 1 to 120 characters, and not only spaces. */
export const isApiKeyName = (name: string): boolean => name.trim() !== "" && Array.from(name).length <= 120

/** What a key is called where it must not be seen: the first 12 characters of its hash. */
export const apiKeyIdOf = ({ hash }: Pick<ApiKey, "hash">): string => hash.slice(0, 12)

/** The environment a well-formed key belongs to; `undefined` for anything else. */
export const environmentOfApiKey = (text: string): Environment | undefined => {
  const match = shape.exec(text)
  if (match === null || checksum(match[2] as string) !== match[3]) return undefined
  return match[1] === prefixes.sandbox ? "sandbox" : "production"
}

const checksum = (body: string): string => {
  let rest = crc32(new TextEncoder().encode(body))
  let digits = ""
  while (rest > 0) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits.padStart(6, "0")
}

/** CRC-32 as in zlib and PNG (ISO 3309, polynomial 0xEDB88320); Effect has none. */
const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

// IP addresses and CIDR ranges as text, checked without the help of a runtime.

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.split("/")
  const bits = bitsOf(address)
  if (bits === undefined || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits)
}

const bitsOf = (address: string): 32 | 128 | undefined => {
  if (isIpv4(address)) return 32
  // The URL parser checks an IPv6 address (https://url.spec.whatwg.org/#concept-ipv6-parser).
  return /^[0-9a-f:.]+$/iu.test(address) && URL.canParse(`http://[${address}]/`) ? 128 : undefined
}

/** A leading zero is octal to some programs. */
const isIpv4 = (address: string): boolean =>
  /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/u.test(address) &&
  address.split(".").every((octet) => Number(octet) <= 255)
