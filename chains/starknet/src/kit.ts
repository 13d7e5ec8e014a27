/** What networks with other accounts, fees and ways to pay build on. */
export { familyOf } from './family.ts'
