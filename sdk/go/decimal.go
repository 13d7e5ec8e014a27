package causeway

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// Decimal is an exact decimal number as text, such as "0.1". It is read from JSON numbers and texts, and sent as text.
type Decimal string

// UnmarshalJSON keeps every digit.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	plain := strings.Trim(string(text), `"`)
	if _, ok := new(big.Rat).SetString(plain); !ok {
		return fmt.Errorf("%s is not a number", text)
	}
	*d = Decimal(plain)
	return nil
}

// MarshalJSON sends text, which no parser rounds.
func (d Decimal) MarshalJSON() ([]byte, error) {
	return json.Marshal(string(d))
}

// Rat is the exact value, for arithmetic; 0 if the text is no number.
func (d Decimal) Rat() *big.Rat {
	value, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return new(big.Rat)
	}
	return value
}

// ToBaseUnits converts whole tokens to base units, exactly.
func (d Decimal) ToBaseUnits(decimals int64) (*big.Int, error) {
	value, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return nil, fmt.Errorf("%q is not a number", string(d))
	}
	value.Mul(value, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)))
	if !value.IsInt() {
		return nil, fmt.Errorf("%s has more than %d decimals", string(d), decimals)
	}
	return value.Num(), nil
}

// FromBaseUnits converts base units to whole tokens, exactly.
func FromBaseUnits(units *big.Int, decimals int64) Decimal {
	whole := new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)
	text := new(big.Rat).SetFrac(units, whole).FloatString(int(decimals))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return Decimal(text)
}
