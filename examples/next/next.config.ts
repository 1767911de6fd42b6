import type { NextConfig } from "next"

const config: NextConfig = {
  // Loaded by Node as they are: they open files and sockets, which a bundler has no business with.
  serverExternalPackages: ["@pointsman/node", "@pointsman/storage-sqlite", "@pointsman/connector-sandbox"]
}

export { config as default }
