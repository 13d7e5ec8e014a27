/** How the pages are built: three documents, one chunk a page and a wallet family, nothing from outside. */
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const here = import.meta.dirname

/** Compressed once, here, so that the service only sends. */
const brotli: Plugin = {
  name: 'brotli',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [fileName, output] of Object.entries(bundle)) {
        if (!/\.(js|css|html|svg|json)$/.test(fileName) || fileName.startsWith('.vite/')) continue
        const source = output.type === 'chunk' ? output.code : output.source
        const compressed = brotliCompressSync(Buffer.from(source), {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        })
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: compressed })
      }
    },
  },
}

export default defineConfig({
  root: here,
  // Links are absolute: a page may be opened at any depth.
  base: '/',
  plugins: [brotli],
  // The SDK from its sources, not as it was published last.
  resolve: { conditions: ['causeway-source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: path.join(here, 'dist'),
    emptyOutDir: true,
    manifest: true,
    // Small pictures stay files: the policy of the pages allows data: for wallet icons only by name.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: path.join(here, 'index.html'),
        embed: path.join(here, 'embed.html'),
        operator: path.join(here, 'operator.html'),
        element: path.join(here, 'src/embed/element.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name === 'element' ? 'embed.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: { proxy: proxied() },
  preview: { proxy: proxied() },
})

/** For development of the pages: `SERVICE=http://127.0.0.1:8080 npx vite web`. */
function proxied(): Record<string, string> {
  const service = process.env.SERVICE ?? 'http://127.0.0.1:8080'
  return Object.fromEntries(
    ['/api', '/sandbox', '/logos', '/.well-known', '/openapi.json', '/docs', '/operator/api'].map((place) => [
      place,
      service,
    ]),
  )
}
