/** The styles of every page. Imported first, so that the styles of a part win over them. */
import './tokens.css'
import './base.css'
import '../ui/ui.css'
