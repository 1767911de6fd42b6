/**
 * Makes a self-signed certificate for a test, so that no private key lies in the repository. Only what TLS needs of
 * X.509 (RFC 5280) is written: an Ed25519 key, a validity of a century, and one subject alternative name.
 */
import { generateKeyPairSync, sign } from "node:crypto"

export interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
}

/** `address`: the IPv4 address that the certificate is valid for. */
export const selfSigned = (address: string): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const ed25519 = sequence(oid(0x2b, 0x65, 0x70))
  const name = sequence(set(sequence(oid(0x55, 0x04, 0x03), element(0x0c, Buffer.from("provider")))))
  const subjectAltName = sequence(element(0x87, Buffer.from(address.split(".").map(Number))))
  const basicConstraints = sequence(element(0x01, Buffer.from([0xff])))
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ed25519,
    name,
    sequence(time("20200101000000Z"), time("21200101000000Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(
      0xa3,
      sequence(
        sequence(oid(0x55, 0x1d, 0x11), element(0x04, subjectAltName)),
        sequence(oid(0x55, 0x1d, 0x13), element(0x04, basicConstraints))
      )
    )
  )
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign(null, body, privateKey)]))
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem(sequence(body, ed25519, signature))
  }
}

/** One DER element: tag, length, content. */
const element = (tag: number, content: Buffer): Buffer => {
  const length = content.byteLength
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: ReadonlyArray<Buffer>): Buffer => element(0x30, Buffer.concat(parts))
const set = (...parts: ReadonlyArray<Buffer>): Buffer => element(0x31, Buffer.concat(parts))
const oid = (...bytes: ReadonlyArray<number>): Buffer => element(0x06, Buffer.from(bytes))
const time = (text: string): Buffer => element(0x18, Buffer.from(text))

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`
