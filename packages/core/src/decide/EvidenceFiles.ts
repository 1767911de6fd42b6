/** What may be kept as evidence. Pure. */
import type { EvidenceFileType } from "../model/Dispute.ts"
import { type EvidenceOrder, InvalidEvidence } from "./DisputeOrder.ts"

/** Characters are Unicode code points. */
export const evidenceLimits = {
  textLength: 20_000,
  texts: 40,
  files: 10,
  fileBytes: 5_000_000,
  nameLength: 60
} as const

/**
 * The first bytes of each type (https://www.rfc-editor.org/rfc/rfc2083#section-3.1 for PNG,
 * https://www.w3.org/Graphics/JPEG/itu-t81.pdf annex B for JPEG, ISO 32000-1 section 7.5.2 for PDF).
 */
const beginnings: ReadonlyArray<readonly [EvidenceFileType, ReadonlyArray<number>]> = [
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]
]

/** By its content: what a client calls a file says nothing about it. */
export const typeOfFile = (bytes: Uint8Array): EvidenceFileType | undefined =>
  beginnings.find(([, beginning]) => beginning.every((byte, at) => bytes[at] === byte))?.[0]

const named = /^[a-z][a-z0-9_]{0,59}$/u

/** What is wrong with evidence; `undefined` where nothing is. */
export const evidenceFault = ({ files, texts }: EvidenceOrder): InvalidEvidence | undefined => {
  const fault = (field: string, expected: string) => new InvalidEvidence({ field, expected })
  const names = [...Object.keys(texts), ...files.map(({ name }) => name)]
  if (names.length === 0) return fault("evidence", "at least one text or file")
  if (Object.keys(texts).length > evidenceLimits.texts)
    return fault("evidence", `at most ${evidenceLimits.texts} texts`)
  if (files.length > evidenceLimits.files) return fault("evidence", `at most ${evidenceLimits.files} files`)
  for (const [at, name] of names.entries()) {
    if (!named.test(name)) {
      const start = [...name].slice(0, evidenceLimits.nameLength).join("")
      return fault(start, "a name of 1 to 60 lower-case letters, digits and underscores, a letter first")
    }
    if (names.indexOf(name) !== at) return fault(name, "each name once")
  }
  for (const [name, text] of Object.entries(texts)) {
    if (text === "" || [...text].length > evidenceLimits.textLength) {
      return fault(name, "a text of 1 to 20,000 characters")
    }
  }
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > evidenceLimits.fileBytes) {
    return fault("evidence", "files of at most 5,000,000 bytes together")
  }
  const unknown = files.find(({ bytes }) => typeOfFile(bytes) === undefined)
  return unknown && fault(unknown.name, "a PDF, JPEG or PNG file")
}
