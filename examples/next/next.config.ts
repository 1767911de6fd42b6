import type { NextConfig } from "next"

const config: NextConfig = {
  // Loaded by Node as they are: they open files and sockets, which a bundler has no business with.
  serverExternalPackages: ["@pointsman/node"]
}

export { config as default }
