/** A certificate and its key as files that the settings of a server name. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Redacted } from "effect"
import { type Certificate, selfSigned } from "../../../transport-node/test/Certificates.ts"
import type { TlsCertificate } from "../../src/TlsCertificate.ts"

export const newCertificate = (): Certificate => selfSigned("127.0.0.1")

/** As the listener takes it. */
export const forListener = ({ cert, key }: Certificate): TlsCertificate => ({ chain: cert, key: Redacted.make(key) })

export interface TlsFiles {
  readonly environment: { readonly POINTSMAN_TLS_CERTIFICATE: string; readonly POINTSMAN_TLS_KEY: string }
  readonly write: (certificate: Partial<Certificate>) => void
}

export const writeTlsFiles = (folder: string, certificate: Certificate): TlsFiles => {
  const certificatePath = join(folder, "tls.crt")
  const keyPath = join(folder, "tls.key")
  const write = ({ cert, key }: Partial<Certificate>) => {
    if (cert !== undefined) writeFileSync(certificatePath, cert)
    if (key !== undefined) writeFileSync(keyPath, key, { mode: 0o600 })
  }
  write(certificate)
  return { environment: { POINTSMAN_TLS_CERTIFICATE: certificatePath, POINTSMAN_TLS_KEY: keyPath }, write }
}
