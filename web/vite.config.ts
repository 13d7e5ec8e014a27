/** How the pages are built: three documents, one chunk per page and wallet family, nothing from outside. */
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const here = import.meta.dirname

/** Compresses the files at build time, so that the service only sends them. */
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

/** Names the file of each language in the documents, so that `start.js` can load one before anything else asks for it. */
const textFiles: Plugin = {
  name: 'text-files',
  enforce: 'post',
  generateBundle: {
    // Runs after the documents are written. It is listed before the plugin that compresses them.
    order: 'post',
    handler(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const fileOf = (tag: string) =>
        chunks.find(({ facadeModuleId }) => facadeModuleId === path.join(here, `src/text/${tag}.ts`))?.fileName
      for (const output of Object.values(bundle)) {
        if (output.type !== 'asset' || !output.fileName.endsWith('.html')) continue
        output.source = String(output.source).replace(/data-texts="([^"]*)"/, (_, tags: string) => {
          const files = tags.split(' ').map((tag) => `${tag}=/${fileOf(tag)}`)
          return `data-texts="${files.join(' ')}"`
        })
      }
    },
  },
}

/**
 * The frame, the form and what every page needs are one file with one style sheet: the first page is twelve requests.
 * Languages, charts, codes and the wallets of single families stay files of their own. The languages must: the shared
 * file waits for one of them.
 */
const SHARED =
  /node_modules\/(preact|@preact|preact-iso)\/|\/sdk\/src\/|\/web\/src\/(api|app\/(?!main)|money|pages\/swap|wallet|text\/(texts|language)|ui\/(?!chart|qr|swap-))/

export default defineConfig({
  root: here,
  // Links are absolute: a page may be opened at any depth.
  base: '/',
  plugins: [textFiles, brotli],
  // Uses the SDK from its sources, not its published build.
  resolve: { conditions: ['causeway-source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: path.join(here, 'dist'),
    emptyOutDir: true,
    manifest: true,
    // A browser without module preload loads the same files a little later.
    modulePreload: { polyfill: false },
    // Small pictures stay files: the pages' policy allows data: URLs only for wallet icons.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: path.join(here, 'index.html'),
        embed: path.join(here, 'embed.html'),
        operator: path.join(here, 'operator.html'),
        element: path.join(here, 'src/embed/element.ts'),
      },
      output: {
        // One file with the code that every page needs: each file is a request, and slow networks pay per request.
        codeSplitting: { groups: [{ name: 'shared', test: SHARED }] },
        entryFileNames: ({ name }) => (name === 'element' ? 'embed.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: { proxy: proxied() },
  preview: { proxy: proxied() },
})

/** The proxy for developing the pages: `SERVICE=http://127.0.0.1:8080 npx vite web`. */
function proxied(): Record<string, string> {
  const service = process.env.SERVICE ?? 'http://127.0.0.1:8080'
  return Object.fromEntries(
    ['/api', '/sandbox', '/logos', '/.well-known', '/openapi.json', '/docs', '/operator/api'].map((place) => [
      place,
      service,
    ]),
  )
}
