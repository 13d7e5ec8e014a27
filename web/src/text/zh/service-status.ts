/** The public status page, in Chinese. */
import type { serviceStatus as English } from '../en/service-status.ts'

export const serviceStatus: typeof English = {
  title: '服务状态',
  allUp: '所有网络运行正常',
  trouble: (count) => `${count} 个网络出现问题`,
  paused: '部分兑换已暂停',
  unknown: '尚未检查任何网络',
  outOfDate: '状态信息已过期',
  lead: '每个网络每分钟检查一次，错过的检查计为停机时间。',
  checked: (age) => `检查时间：${age}。`,
  stale: (age) => `上次检查是在${age}，服务可能已中断。`,
  network: '网络',
  state: '当前',
  history: (days) => `最近 ${days} 天`,
  uptime: '可用率',
  lastBlock: '最新区块',
  states: { up: '正常', behind: '延迟', down: '无法读取', paused: '已暂停', unknown: '未检查' },
  day: (day, share) => `${day}：${share}`,
  noData: (day) => `${day}：无数据`,
  since: (day) => `统计始于 ${day}。`,
  sinceDay: (day) => `自 ${day} 起`,
  routes: '路线状况',
}
