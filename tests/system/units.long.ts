/** The files of `deploy/`: systemd accepts the units, and every container of compose and Kubernetes is locked down. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { requirePrograms } from './programs.ts'

const DEPLOY = path.join(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8')

it('systemd accepts the units', () => {
  const { 'systemd-analyze': analyze } = requirePrograms({ 'systemd-analyze': 'systemd' })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-units-'))
  for (const file of readdirSync(path.join(DEPLOY, 'systemd'))) {
    const text = read(`systemd/${file}`)
    // A unit is verified with the program that it starts, and Node may be in another place here.
    writeFileSync(path.join(folder, file), text.replace('/usr/bin/node', process.execPath))
  }
  // An instance of the template needs a name.
  copyFileSync(path.join(folder, 'causeway@.service'), path.join(folder, 'causeway@work.service'))
  for (const unit of [
    'causeway-signer.service',
    'causeway@work.service',
    'causeway-canary.service',
    'causeway-canary.timer',
  ]) {
    const told = execFileSync(analyze, ['verify', '--man=no', path.join(folder, unit)], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    expect(told).toBe('')
  }
})

interface Compose {
  services: Record<string, Record<string, unknown> & { networks: string[]; secrets?: string[]; volumes?: string[] }>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

it('compose declares all networks, volumes and secrets that it names, and locks our processes down', () => {
  const { services, networks, volumes, secrets } = parse(read('compose.yaml'), { merge: true }) as Compose
  for (const [name, service] of Object.entries(services)) {
    for (const network of service.networks)
      expect([name, Object.keys(networks)]).toEqual([name, expect.arrayContaining([network])])
    for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret)
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      if (!source.startsWith('.')) expect(Object.keys(volumes)).toContain(source)
    }
    if (service.image !== 'causeway') continue
    expect([name, service]).toEqual([
      name,
      expect.objectContaining({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }),
    ])
  }
  // The signer and the database are not reachable from outside.
  expect([networks.keys?.internal, networks.database?.internal]).toEqual([true, true])
  expect(services.api?.networks).not.toContain('keys')
})

interface Manifest {
  kind: string
  metadata: { name: string }
  spec: { replicas?: number; template?: { spec: PodSpec } }
}
interface PodSpec {
  securityContext: Record<string, unknown>
  containers: { name: string; securityContext: Record<string, unknown>; volumeMounts: { name: string }[] }[]
  volumes?: { name: string }[]
}

it('every Kubernetes manifest parses, every pod is locked down, and there is one signer', () => {
  const manifests = parseAllDocuments(read('kubernetes/causeway.yaml')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  })
  const pods = manifests.flatMap(({ kind, metadata, spec }) =>
    spec.template ? [{ kind, metadata, spec, pod: spec.template.spec }] : [],
  )
  expect(pods.length).toBeGreaterThanOrEqual(4)
  for (const { metadata, pod } of pods) {
    expect([metadata.name, pod.securityContext]).toEqual([
      metadata.name,
      expect.objectContaining({ runAsNonRoot: true }),
    ])
    for (const { securityContext } of pod.containers) {
      expect([metadata.name, securityContext]).toEqual([
        metadata.name,
        { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      ])
    }
  }
  expect(pods.find(({ metadata }) => metadata.name === 'signer')).toMatchObject({
    kind: 'StatefulSet',
    spec: { replicas: 1 },
  })
})
