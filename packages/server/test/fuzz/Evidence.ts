/** Forms of evidence: to a dispute that takes it, or to another place, with lengths and encodings that are not theirs. */
import * as fc from "fast-check"
import { mostly, multipart } from "./Multipart.ts"
import { headersWith } from "./Requests.ts"
import { urlText } from "./Values.ts"
import { type Input, testKey } from "./World.ts"

const strangeLengths = ["0", "3", "-1", "1e9", "99999999999999999999"]

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
