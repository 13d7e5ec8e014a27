/** Notes and reasons as operators write them are accepted; secrets in them are not. */
import { createHash } from 'node:crypto'
import { base32, base58, base58check, bech32, bech32m } from '@scure/base'
import { expect, test } from 'vitest'
import { refuseSecretProse } from './grammar.ts'

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest()
const bytes = (seed: string, length: number) =>
  Buffer.concat([sha256(Buffer.from(seed)), sha256(Buffer.from(`${seed}, more`))]).subarray(0, length)
const checked = (version: number) => base58check(sha256).encode(Buffer.concat([Buffer.from([version]), bytes('a', 20)]))
const bech32Of = (prefix: string, version: number[], length: number) =>
  bech32.encode(prefix, [...version, ...bech32.toWords(bytes(prefix, length))])

const EVM = `0x${bytes('evm', 20).toString('hex')}`
const HASH = `0x${bytes('hash', 32).toString('hex')}`
const OTHER_HASH = bytes('other', 32).toString('hex')
const SOLANA = base58.encode(bytes('solana', 32))
const SIGNATURE = base58.encode(bytes('signature', 64))
const BITCOIN = bech32Of('bc', [0], 20)
const TAPROOT = bech32m.encode('bc', [1, ...bech32m.toWords(bytes('taproot', 32))])
const OLD_BITCOIN = checked(0)
const TRON = checked(0x41)
const COSMOS = bech32Of('cosmos', [], 20)
const TON = 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'
const UUID = '3f2b8c1e-7d45-4a90-b6f3-0c9e5a1d2b47'

const NOTES = [
  'a look',
  'https://jira.example.com/browse/OPS-123',
  'https://swap.example.com/?source_token=ETH&destination_token=USDC&amount=0.1',
  'see https://jira.example.com/browse/OPS-123?focusedCommentId=48213, the customer waits',
  'https://github.com/example/causeway/issues/4711#issuecomment-1928374650',
  'https://github.com/example/causeway/pull/12/files',
  'https://example.zendesk.com/agent/tickets/48213?brand_id=114093',
  'https://linear.app/example/issue/OPS-512/refund-stuck-on-tron-after-energy-ran-out',
  'Slack thread https://example.slack.com/archives/C024BE91L/p1355517523000008',
  'https://app.intercom.com/a/apps/abcd1234/inbox/inbox/all/conversations/215470000123',
  'https://grafana.example.com/d/causeway/overview?from=1763539200000&to=1763542800000',
  'https://www.notion.so/example/Runbook-treasury-rotation',
  'Zendesk 48213; Zendesk #48214 and #48215 are the same customer',
  'tickets 123456, 123457, 123458, 123459, 123460, 123461',
  'OPS-123\nOPS-124\nOPS-125\nOPS-126',
  'the user wrote to support@example.com on 2026-03-14 at 10:15:30 UTC',
  'mail of ada.lovelace-byron@mail.example.co.uk answered',
  '12 Dec 2024 08:15:23 - 12 Dec 2024 09:10:00',
  '2026-01-31 12:00:00 2026-02-01 13:00:00 2026-02-02 14:00:00',
  'created 2026-11-19T08:15:23.456Z, paid 2026-11-19T08:17:01Z',
  'paid 1,250.50 USDC and 0.000000000000000001 ETH',
  'missing 1000000000000000000000 units, the ledger says 123456789123456789012',
  '1000000\n2000000\n3000000\n4000000\n5000000',
  'call +49 170 1234567 or +44 20 7946 0958 or (415) 555-2671',
  'IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX',
  'order ORD-2024-AB12X, invoice RE-2026/00417, UPS 1Z999AA10123456784',
  'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz',
  'Donaudampfschifffahrtsgesellschaftskapitän',
  'Rückerstattungsantrag nach Zahlungsdienstleistungsaufsichtsgesetz, siehe Geldwäscheverdachtsmeldung',
  'Kraftfahrzeughaftpflichtversicherung zahlt',
  'bitte nicht freigeben, Rücksprache mit Frau Müller-Lüdenscheidt (Tel. 0170/1234567) am 14.03.2026',
  'RÜCKERSTATTUNG ERST NACH RÜCKSPRACHE',
  'el cliente pidió la devolución, comprobado con su banco',
  'le client a demandé un remboursement, vérifié aujourd’hui',
  'il cliente ha chiesto il rimborso, controllato',
  'o cliente pediu reembolso, já verificado',
  'klant wil zijn arbeidsongeschiktheidsverzekering betalen',
  'Szczęśliwy użytkownik z Gżegżółki, Brzęczyszczykiewicz Grzegorz, Chrząszczyżewoszyce',
  'ödemeyi gerçekleştiremeyenlerdenmişsinizcesine Çekoslovakyalılaştıramadıklarımızdan',
  'lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas',
  'Þórður Hjálmtýsson frá Hafnarfjörður hringdi',
  'nhà cung cấp thanh toán đã trả lời, Nguyễn Thị Phương',
  'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
  'клиент попросил вернуть средства, проверено',
  'ο πελάτης ζήτησε επιστροφή χρημάτων',
  '用户要求退款,已确认',
  'お客様から返金の依頼がありました',
  '고객이 환불을 요청했습니다',
  'العميل طلب استرداد المبلغ',
  'ग्राहक ने धनवापसी मांगी',
  'Krzysztof Wojciechowski, Zbigniew Brzezinski, Nguyen Xuan Phuc, Hrvoje Krstulović',
  'Hello\nPaul\nThanks\nMark',
  'Mr. Ng, Ms. Hsu, Dr. Schmidtchen, Mrs. Szyszkowska',
  'thx! pls chk w/ tmrw mgmt, FYI IMHO rgds btw',
  'ASAP: KYC/AML check by MLRO, see SOP-7 v2.3.1 (Q3/2026)',
  'USER SENT 25 USDC TO THE WRONG CHAIN AND WANTS IT BACK ASAP PLEASE DO NOT RELEASE',
  'USDT BTC TRX XRP ETH SOL DOGE USDC TON ATOM',
  'paused USDC/USDT, WBTC/WETH, stETH, wstETH, cbBTC, sUSDe, USDC.e and USDT0 on BSC',
  'stETH/wstETH/cbBTC/sUSDe pools of LINEA/zkSync/StarkNet/dYdX paused',
  '用户25个USDC,3天',
  'iPhone 15 Pro, MacBook, PayPal, GitHub, YouTube, LayerZero, zkSync, StarkNet, dYdX, OpenAI',
  'USDC2 on ETH2, B4, A1, C3PO, R2D2, 4G, 5G, L2s, L1/L2, Web3',
  'deployed v1.24.3-rc.2+build.77 on ip-10-0-3-17 (t3.medium, eu-central-1b)',
  'build a7ba4eb9, then 5ad0919f, then bd0bf148',
  'CVE-2026-12345, RFC 6979, BIP-39, EIP-1559, ERC-20, SLIP-0044',
  'nonce too low; ECONNREFUSED 127.0.0.1:8545; HTTP 503; INSUFFICIENT_FUNDS_FOR_GAS',
  'TransactionReplacementUnderpriced in block 0x12a4f3, nonce 17, gas 21000, 35 gwei',
  'MAX_PRICE_IMPACT_BPS was 100, OPERATOR_KEY_FILE has moved',
  'its key has leaked: release nothing',
  'we replaced the private key of the old signer, and the secret key: both are gone',
  'the user lost the password of the exchange account',
  'the user sent the wrong token and asks for it back',
  'wrong memo: 104729 on XRP, memo "cosmos 12", tag 331',
  '0x12ab…9f3c and 0x77cd...12aa are the two hashes',
  'Grafana-v10.2.3 shows it',
  'see iPhone-15-Pro.png and IMG_20261119_101530.jpg',
  'Screenshot_2026-11-19-10.15.30.png',
  'Screenshot-2026-11-19T10-15-30Z.png',
  'Bildschirmfoto 2026-11-19 um 10.15.30.png',
  '20261118T204500Z-0-swap.csv.gz was restored',
  'Re:OPS-123, Re:OPS-124',
  'k8s-prod-eu1.Example.com is down',
  'Q3.2026-Report.xlsx',
  'v1.24.3-RC2+build.77',
  'pool USDC.e→USDT0 and route:ETHEREUM/wstETH>BSC/cbBTC, route:TRON/USDT0>BSC/USDC.e',
  'token:ARBITRUM/USDC.e>BASE/cbBTC',
  'paid $1,250.50USDC/0.5ETH at 10:15:30Z (UTC+2)',
  '{"error":{"code":-32000,"message":"nonce too low"}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}',
  '{"blockNumber":"0x12a4f3","transactionIndex":"0x1","status":"0x0"}',
  '{"status":"held","reason":"above_limit","usd":12500.5}',
  'GET /api/v2/swaps/{swapId}/progress answers HTTP/1.1 503',
  'curl -s localhost:8080/api/v2/swaps/<id>',
  'C:\\Users\\Ada\\Desktop\\causeway-2026\\export_v2.csv',
  '/var/lib/causeway/journal-2026-11-19T10:15:30Z.jsonl',
  '~/causeway-1.24.3/deploy/docker-compose.yml:42',
  'at runCommand (/app/server/src/admin/cli/run.ts:92:14)',
  'ref #48213/#48214&#48215',
  'R&D, AT&T and Q3/2026 asked',
  '**USDC.e/USDT0** stays paused',
  'see <https://jira.example.com/browse/OPS-123>',
  '[OPS-123](https://jira.example.com/browse/OPS-123)',
  'mail <ada.lovelace2024@mail.example.co.uk> answered',
  'ada.lovelace+swap2026@gmail.com; j.smith_1987@example.org; MaxMustermann1985@web.de',
  '@ada_l @bob2 please look at PR#512!',
  '5*10^18 wei and 1e18 + 3x10^17',
  'price moved -12.5%/+13.2% (24h), slippage=50bps',
  '100%!!! wtf?!',
  '50% of 25USDC@0.9998',
  'node@10.0.3.17:8545, [::1]:8545 and 2001:db8::8a2e:370:7334',
  'nodes 10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5',
  '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16',
  '10:15, 10:20, 10:25, 10:30, 10:35, 10:40, 10:45, 10:50, 10:55',
  'paid 0.5, 0.7, 1.25, 2.5, 3.75, 4.1, 5.2, 6.3, 7.9 ETH',
  '14/3, 15/3, 16/3 and 17/3',
  'nonces 101, 102, 103, 104, 105, 106, 107 are stuck',
  'swap-2026-11, swap-2026-12 and ORD-2024-AB12X',
  'NETWORK/TOKEN: ETHEREUM_MAINNET/USDC, BASE_MAINNET/cbBTC, zkSync/wstETH',
  'BSC/0x55d398326f99059fF775485246999027B3197955 is USDT',
  'p99=1.2s p50=350ms, 4xx<1%, 5xx=0.02%',
  'mem 3.2GiB/4GiB, 85% CPU, disk 12GB/20GB',
  "select * from payout where state='held' and usd>=12500",
  'systemctl restart causeway@2.service',
  'git diff v1.24.2..v1.24.3 -- server/src/flow',
  'Thu Nov 19 11:09:31 UTC 2026',
  '2026-11-19 11:09:31,123 ERROR causeway[42]: payout held',
  'approved by phone at 16h30, call +33 6 12 34 56 78 or 06.12.34.56.78',
  'Tel. +49 (0)170-123 45 67, ext. 12',
  'SEPA DE89370400440532013000 / COBADEFF',
  'KYC-Fall #2026/11-42: Müller & Söhne GmbH & Co. KG',
  'C++/C#/F# SDK v0.2.0, Node.js v24.21.0, Go1.24rc2',
  'gpt-4o and GPT-5.1-mini said so',
  'Llama3.1:8b-instruct-q4_K_M',
  'EIP-712/ERC-2612/Permit2 deposit by Uniswap v4',
  'gas 21,000 * 35gwei = 0.000735ETH',
  'LTC->XMR, BTC=>ETH, A->B',
  'the user typed 25,00€ instead of 2.500,00€',
  'no. 17: see §14(2) AktG',
  'rollback of #77; restore of 2026-11-18T20:45:00Z; 3rd try',
  "A/B test of v2.3's pop-up (50/50)",
  "it's o'clock; don't, can't, won't",
  'x-request-id=req_48213',
  'https://jira.example.com/issues/?jql=project%20%3D%20OPS%20AND%20status%3DOpen',
  'https://etherscan.io/token/0xdac17f958d2ee523a2206206994597c13d831ec7?a=0x55d398326f99059ff775485246999027b3197955',
  'https://docs.example.com/v2/runbooks/treasury-rotation#step-3',
  'https://meet.google.com/abc-defg-hij and https://example.zoom.us/j/12345678901',
  'https://status.example.com/incidents/2026-11-19_rpc_outage.html',
  'https://grafana.example.com/d/causeway/overview?var-network=ETHEREUM_MAINNET&viewPanel=12',
  'https://github.com/example/causeway/compare/v1.24.2...v1.24.3',
  'https://bscscan.com/block/48213770',
  'https://mempool.space/block/840000',
  `swap ${UUID}`,
  UUID,
  `${UUID} and ${UUID} are one customer`,
  `https://console.example.com/swaps/${UUID}?tab=payouts`,
  `tx ${HASH} reverted`,
  `the transaction ${HASH} is not ours`,
  `tx ${HASH} and tx ${OTHER_HASH} are one payment`,
  `Tx-Hash: ${HASH}, transaction ID: ${OTHER_HASH}`,
  `private key stolen, see transaction (${HASH})`,
  `Transaktion ${OTHER_HASH} fehlgeschlagen`,
  `transacción ${OTHER_HASH} revertida`,
  `交易 ${HASH} 失败`,
  `wrong token in tx ${HASH}`,
  `deposit reorged out of block ${HASH}`,
  `her fingerprint: ${OTHER_HASH.slice(0, 16)}`,
  `https://github.com/example/causeway/commit/${OTHER_HASH.slice(0, 40)}`,
  `https://etherscan.io/tx/${HASH}`,
  `see https://mempool.space/tx/${OTHER_HASH}, it has one confirmation`,
  `https://solscan.io/tx/${SIGNATURE}`,
  `https://explorer.solana.com/address/${SOLANA}?cluster=mainnet-beta`,
  `https://tronscan.org/#/transaction/${OTHER_HASH}`,
  `https://mempool.space/address/${BITCOIN}`,
  `user ${BITCOIN} asked`,
  `user ${TAPROOT} asked`,
  `refund to ${OLD_BITCOIN}, confirmed by mail`,
  `deposit at ${TRON} was swept`,
  `sent from ${COSMOS} without a memo`,
  `TON wallet ${TON} is not active`,
  `refund to ${EVM} instead`,
  EVM,
  `Solana tx ${SIGNATURE} failed`,
  `Solana signature: ${SIGNATURE}`,
  `the user's address is ${SOLANA.slice(0, 4)}…${SOLANA.slice(-4)}`,
  `https://starkscan.co/contract/0x${OTHER_HASH.slice(1)}`,
  `swap ${UUID}: wrong token, the API answered late`,
]

test.each(NOTES)('accepted: %s', (note) => {
  expect(() => refuseSecretProse('--note', note)).not.toThrow()
})

const groupsOf = (text: string, length: number) => text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []
const HEX = bytes('secret', 32).toString('hex')
const PART = bytes('part', 32).toString('base64url')
const BASE64 = bytes('secret', 32).toString('base64')
const AWS = bytes('aws', 30).toString('base64')
const JWT = [{ alg: 'HS256' }, { sub: '1234567890' }]
  .map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'))
  .join('.')

/** The note, and the part of it that no error may repeat. */
const SECRETS: [string, string, string][] = [
  ['bare bytes', HEX, HEX],
  ['bare bytes with 0x', `0x${HEX}`, HEX],
  ['bytes in a sentence', `the user paid it twice, see 0x${HEX}`, HEX],
  ['bytes with a word about keys', `private key of the account: ${HEX}`, HEX],
  ['bytes after a seed', `seed of the address ${HEX}`, HEX],
  ['bytes of an account', `account ${HEX}, address 0x${HEX}`, HEX],
  ['bytes of a key of a transaction', `transaction key ${HEX}, Transaktionsschlüssel ${HEX}`, HEX],
  ['bytes after a token', `api token of the account ${HEX}`, HEX],
  ['bytes presented in another sentence', `The transaction failed. It is ${HEX}`, HEX],
  ['a seed in base58', `use ${SOLANA}`, SOLANA],
  ['a seed in base58 of an account', `la clave de la cuenta ${SOLANA}`, SOLANA],
  ['a key that is a UUID', `the token is ${UUID}`, UUID],
  ['a UUID in a link', `https://btc.nownodes.io/${UUID}`, UUID],
  ['a link after a word', `no blocks: https://a.quiknode.pro/${HEX.slice(0, 40)}/`, HEX.slice(0, 40)],
  ['a name of a host', `https://block.tx.example.com/${HEX}`, HEX],
  ['a seed in base64', BASE64, BASE64],
  ['a seed in base64 in a sentence', `please put ${BASE64} into the file`, BASE64],
  ['a seed with invisible characters in it', groupsOf(HEX, 8).join('\u200b'), HEX.slice(0, 16)],
  ['a seed in base64 presented as an account', `account ${BASE64}`, BASE64],
  ['an AWS secret access key', AWS, AWS],
  ['a line of credentials', `aws_secret_access_key = ${AWS}`, AWS],
  ['the secret of an authenticator', 'JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXP'],
  ['the same in groups', 'jbsw y3dp ehpk 3pxp', 'ehpk'],
  ['a longer one', base32.encode(bytes('code', 32)).replaceAll('=', ''), base32.encode(bytes('code', 30))],
  ['a link for an authenticator', 'otpauth://totp/causeway:ada?secret=JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXP'],
  ['a database with its password', 'postgres://causeway:hunter2@db.example.com:5432/causeway', 'hunter2'],
  ['a connection string', 'host=db user=causeway password=hunter2', 'hunter2'],
  ['a link with a password', 'https://ada:hunter2@jira.example.com/browse/OPS-123', 'hunter2'],
  ['a link with a user', 'https://hunter2@github.example.com/causeway', 'hunter2'],
  ['a password as a parameter', 'https://jira.example.com/login?user=ada&password=hunter2', 'hunter2'],
  ['a token as a parameter', 'https://jira.example.com/browse/OPS-123?token=hunter2', 'hunter2'],
  ['an API key as a parameter', 'https://api.example.com/v1?api_key=hunter2', 'hunter2'],
  ['a token behind #', 'https://app.example.com/#access_token=hunter2', 'hunter2'],
  ['Infura', `https://mainnet.infura.io/v3/${HEX.slice(0, 32)}`, HEX.slice(0, 32)],
  ['Alchemy', `https://eth-mainnet.g.alchemy.com/v2/${PART.slice(0, 32)}`, PART.slice(0, 32)],
  ['a JWT', `Bearer ${JWT}.${PART}`, PART],
  ['a bearer token', `Authorization: Bearer ${PART}`, PART],
  ['a live key', `sk_live_${bytes('live', 18).toString('hex').slice(0, 24)}`, bytes('live', 12).toString('hex')],
  ['a token of a Telegram bot', `123456789:AA${PART.slice(0, 33)}`, PART.slice(0, 33)],
  [
    'a webhook of Slack',
    `https://hooks.slack.com/services/T024BE91L/B0123ABCD/${base58.encode(bytes('slack', 32)).slice(0, 24)}`,
    base58.encode(bytes('slack', 32)).slice(0, 24),
  ],
  ['a private key in bech32', bech32Of('nsec', [], 32), bech32Of('nsec', [], 32)],
  ['a token of GitHub', `ghp_${base58.encode(bytes('hub', 32)).slice(0, 36)}`, base58.encode(bytes('hub', 24))],
]

test.each(SECRETS)('refused: %s', (_, note, secret) => {
  for (const text of [note, `we use this now:\n${note}\nplease keep it`]) {
    const said = (() => {
      try {
        refuseSecretProse('--note', text)
      } catch (error) {
        return String(error)
      }
      return 'accepted'
    })()
    expect(said).toMatch(/--note has .* Nothing is done or stored. If it is a secret, replace it/)
    expect(said).not.toContain(secret)
  }
})

test('there are enough notes', () => {
  expect(NOTES.length).toBeGreaterThanOrEqual(180)
})
