/** Buttons. One primary button per screen: its label is the next step. */
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  look?: 'primary' | 'small' | 'plain' | 'primary wide' | 'wide' | 'plain small' | 'danger' | 'tint'
  icon?: IconName
  children?: ComponentChildren
}

export function Button({ look, icon, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} class={`button ${look ?? ''}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** An icon button still has an accessible name. */
export function IconButton({ name, icon, ...rest }: { name: string; icon: IconName } & ButtonHTMLAttributes) {
  return (
    <button {...rest} type="button" class="button icon-only" aria-label={name} title={name}>
      <Icon name={icon} />
    </button>
  )
}
