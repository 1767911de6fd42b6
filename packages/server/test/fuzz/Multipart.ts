/** Forms of texts and files (RFC 7578) as a stranger may send them: nearly right ones, and all that a parser may stumble on. */
import * as fc from "fast-check"
import { headersWith } from "./Requests.ts"
import { headerText, often, scratched, text, urlText } from "./Values.ts"
import { type Input, testKey } from "./World.ts"

export interface Multipart {
  /** The header `Content-Type`. */
  readonly type: string
  /** Each character is one byte. */
  readonly body: string
}

const utf8 = (value: string): string => Buffer.from(value.toWellFormed()).toString("latin1")

/** Mostly short. 65,536 is what a server reads of a connection at once. */
const longText = fc
  .tuple(
    fc.constantFrom("a", "\r\n--", "\r\n--b", "--b\r\n", "\r", "\n", "-", '"', ";", "=", "\u0000", "%PDF-", "4111 "),
    fc.constantFrom(80, 1_000, 16_384, 65_535, 65_536, 200_000)
  )
  .map(([unit, length]) => unit.repeat(length / unit.length))

const value = (largest: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: text(largest).map(utf8) },
    { weight: 1, arbitrary: longText },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1")) }
  )

/** The first in nine cases of ten. */
const mostly = <A, B>(usual: A, other: fc.Arbitrary<B>): fc.Arbitrary<A | B> => often(fc.constant(usual), other)

const name = often(
  fc.nat(200).map((at) => `f${at}`),
  value(4_000),
  20
)

const parameter = fc
  .tuple(
    fc.constantFrom("name", "name", "name", "filename", "filename", "filename*", "NAME", "charset", "name*0"),
    name,
    fc.constantFrom<(value: string) => string>(
      (value) => `"${value}"`,
      (value) => `"${value}"`,
      (value) => `"${value.replaceAll('"', '\\"')}"`,
      (value) => value,
      (value) => `"${value}`,
      (value) => `UTF-8''${encodeURIComponent(value)}`
    )
  )
  .map(([name, value, quote]) => `; ${name}=${quote(value)}`)

const disposition = fc
  .tuple(mostly("form-data", fc.constantFrom("attachment", "file", "")), fc.array(parameter, { maxLength: 4 }))
  .map(([kind, parameters]) => `Content-Disposition: ${kind}${parameters.join("")}`)

const header = fc.oneof(
  fc.constantFrom(
    ...["application/pdf", "image/png", "text/plain", "text/plain; charset=utf-16le", "text/plain; charset=x", ""].map(
      (type) => `Content-Type: ${type}`
    ),
    ...["base64", "quoted-printable", "binary", "8bit"].map((encoding) => `Content-Transfer-Encoding: ${encoding}`),
    ...["Content-Type: multipart/mixed; boundary=b", "Content-Length: 3", "Content-Encoding: gzip", "X: y", ":", " z"]
  ),
  value(4_000).map((value) => `X-Other: ${value}`),
  value(4_000)
)

const beginnings = ["%PDF-1.7\n", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", ""]

const part = fc
  .record({
    name,
    beginning: fc.constantFrom(...beginnings),
    value: value(20_000),
    more: mostly([], fc.array(header, { maxLength: 3 })),
    other: mostly(undefined, disposition)
  })
  .map(({ beginning, more, name, other, value }) => {
    const ofFile = beginning === "" ? "" : '; filename="f.pdf"'
    const first = other ?? `Content-Disposition: form-data; name="${name}"${ofFile}`
    return { headers: [first, ...more], value: beginning + value }
  })

type Part = typeof part extends fc.Arbitrary<infer One> ? One : never

/** Few parts, or one as often as a form may hold, as often as it may not, and thousands of times. */
const parts: fc.Arbitrary<ReadonlyArray<Part>> = often(
  fc.array(part, { maxLength: 4 }),
  fc
    .tuple(part, fc.constantFrom(40, 50, 51, 500, 3_000), fc.boolean())
    .map(([one, count, isNumbered]): ReadonlyArray<Part> => {
      const short = { headers: one.headers.map((line) => line.slice(0, 80)), value: one.value.slice(0, 20) }
      return Array.from({ length: count }, (_, at) => ({
        ...short,
        headers: isNumbered ? [`Content-Disposition: form-data; name="n${at}"`] : short.headers
      }))
    }),
  12
)

const written = (parts: ReadonlyArray<Part>, boundary: string, line: string, end: string): string =>
  parts
    .map(({ headers, value }) => `--${boundary}${line}${[...headers, "", value].join(line)}${line}`)
    .join("")
    .concat(end)

const usual = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
const boundary = mostly(
  usual,
  fc.oneof(fc.constantFrom("b", "x".repeat(70), "x".repeat(4_000), "'()+_,-./:=?"), headerText(4_000))
)

const contentType = (boundary: string): fc.Arbitrary<string> =>
  mostly(
    `multipart/form-data; boundary=${boundary}`,
    fc.oneof(
      fc.constant(`multipart/form-data; charset=utf-8; boundary="${boundary}"`),
      scratched(fc.constant(`Multipart/Form-Data ;BOUNDARY=${boundary};boundary=b`)),
      scratched(fc.constant(`multipart/mixed; boundary=${boundary}`))
    )
  )

/** A form, and now and then one in another. */
export const multipart: fc.Arbitrary<Multipart> = fc
  .record({
    boundary,
    parts,
    nested: mostly(0, fc.constantFrom(1, 20)),
    line: mostly("\r\n", fc.constantFrom("\n", "\r")),
    before: mostly("", value(4_000)),
    close: mostly("--\r\n", fc.constantFrom("--", "\r\n", "", "--\r\n--b\r\n")),
    isClosed: mostly(true, fc.constant(false))
  })
  .chain(({ before, boundary, close, isClosed, line, nested, parts }) => {
    const end = isClosed ? `--${boundary}${close}` : ""
    let body = written(parts, boundary, line, end)
    for (let depth = 0; depth < nested; depth++) {
      const inner = `n${depth}`
      const headers = ['Content-Disposition: form-data; name="n"', `Content-Type: multipart/mixed; boundary=${inner}`]
      body = written([{ headers, value: body }], boundary, line, end)
    }
    return fc.record({ type: contentType(boundary), body: scratched(fc.constant(before + body)) })
  })

const strangeLengths = ["0", "3", "-1", "1e9", "99999999999999999999"]

/** To a dispute that takes it, or to another place, with lengths and encodings that are not its own. */
export const evidence: fc.Arbitrary<Input> = fc
  .record({
    dispute: mostly("@dispute-0", urlText(300)),
    form: multipart,
    length: mostly(undefined, fc.constantFrom(...strangeLengths)),
    encoding: mostly(undefined, fc.constantFrom("identity", "gzip"))
  })
  .map(({ dispute, encoding, form: { body, type }, length }) => ({
    method: "POST",
    path: `/api/v1/disputes/${dispute}/evidence`,
    headers: {
      ...headersWith(testKey, { "content-type": type }),
      ...(length === undefined ? {} : { "content-length": length }),
      ...(encoding === undefined ? {} : { "content-encoding": encoding })
    },
    body,
    isBinary: true
  }))
