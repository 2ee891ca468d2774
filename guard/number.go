// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// maxPlainZeros bounds the trailing zeros that an integer is written with, so
// that a list of 1e399 does not become a hundred times as long.
const maxPlainZeros = 40

// maxExponent is where exponents saturate. Nobody counts that far.
const maxExponent = 1 << 58

// decimal is a number: digits times ten to the power of exp. The digits have
// no zeros at either end and are empty for zero, so that equal numbers have
// equal decimals.
type decimal struct {
	digits []byte
	exp    int64
	neg    bool
}

// parseDecimal reads a literal that JSON's grammar allows. Integers stay exact
// at any size; all others take the value of the nearest float64, as RFC 8785
// wants it. The digits are appended to buf.
func parseDecimal(buf []byte, lit string) decimal {
	d := splitDecimal(buf, lit)
	// Up to 15 digits survive the way through a float64 unchanged.
	if d.exp >= 0 || (len(d.digits) <= 15 && d.exp > -300) {
		return d
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil && math.IsInf(f, 0) {
		return d
	}
	var shortest [32]byte
	return splitDecimal(buf, string(strconv.AppendFloat(shortest[:0], f, 'e', -1, 64)))
}

// splitDecimal takes a literal apart without rounding it.
func splitDecimal(buf []byte, lit string) decimal {
	d := decimal{digits: buf[:0]}
	i := 0
	if lit[0] == '-' {
		d.neg = true
		i++
	}
	seenPoint := false
	for ; i < len(lit); i++ {
		c := lit[i]
		if c == '.' {
			seenPoint = true
			continue
		}
		if c == 'e' || c == 'E' {
			d.exp += parseExponent(lit[i+1:])
			break
		}
		if seenPoint {
			d.exp--
		}
		if c != '0' || len(d.digits) > 0 {
			d.digits = append(d.digits, c)
		}
	}
	for n := len(d.digits); n > 0 && d.digits[n-1] == '0'; n-- {
		d.digits = d.digits[:n-1]
		d.exp++
	}
	d.exp = min(d.exp, maxExponent)
	if len(d.digits) == 0 {
		d.exp, d.neg = 0, false
	}
	return d
}

func parseExponent(s string) int64 {
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	var e int64
	for i := range len(s) {
		e = min(e*10+int64(s[i]-'0'), maxExponent)
	}
	if neg {
		return -e
	}
	return e
}

func (d decimal) hash() uint64 {
	h := uint64(d.exp) << 1
	if d.neg {
		h |= 1
	}
	if len(d.digits) > 19 {
		return join(join(xxh3.Hash(d.digits), h), tagNumber)
	}
	var m uint64
	for _, c := range d.digits {
		m = m*10 + uint64(c-'0')
	}
	return join(join(m, h), tagNumber)
}

// hashShortInteger is the hash of an integer literal of up to 18 digits.
func hashShortInteger(lit string) (uint64, bool) {
	i := 0
	if lit[0] == '-' {
		i = 1
	}
	if len(lit)-i > 18 || digitsEnd(lit, i) != len(lit) {
		return 0, false
	}
	var m, exp uint64
	for ; i < len(lit); i++ {
		m = m*10 + uint64(lit[i]-'0')
	}
	for m != 0 && m%10 == 0 {
		m /= 10
		exp++
	}
	h := exp << 1
	if lit[0] == '-' && m != 0 {
		h |= 1
	}
	return join(join(m, h), tagNumber), true
}

// whole is the value of a whole number below limit that is not negative.
func (d decimal) whole(limit int64) (int64, bool) {
	if d.neg || d.exp < 0 || d.exp > 18 || len(d.digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range d.digits {
		n = n*10 + int64(c-'0')
	}
	for i := d.exp; i > 0 && n < limit; i-- {
		n *= 10
	}
	return n, n < limit
}

// size is the length of the written number, roughly.
func (d decimal) size() int {
	n := len(d.digits)
	if d.exp > 0 && d.exp < 21 {
		n += int(d.exp)
	}
	return max(n, 1)
}

// appendTo writes integers in full and the rest as ECMAScript does.
func (d decimal) appendTo(b []byte) []byte {
	if d.neg {
		b = append(b, '-')
	}
	k, point := int64(len(d.digits)), int64(len(d.digits))+d.exp
	switch {
	case k == 0:
		return append(b, '0')
	case d.exp > maxPlainZeros:
		return strconv.AppendInt(append(append(b, d.digits...), "e+"...), d.exp, 10)
	case d.exp >= 0:
		return append(append(b, d.digits...), bytes.Repeat([]byte{'0'}, int(d.exp))...)
	case point > 0:
		return append(append(append(b, d.digits[:point]...), '.'), d.digits[point:]...)
	case point > -6:
		return append(append(append(b, "0."...), strings.Repeat("0", int(-point))...), d.digits...)
	}
	b = append(b, d.digits[0])
	if k > 1 {
		b = append(append(b, '.'), d.digits[1:]...)
	}
	return strconv.AppendInt(append(b, 'e'), point-1, 10)
}

// numberEnd returns the end of the JSON number that starts at s[i], or -1.
func numberEnd(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i >= len(s):
		return -1
	case s[i] == '0':
		i++
	case s[i] >= '1' && s[i] <= '9':
		i = digitsEnd(s, i)
	default:
		return -1
	}
	if i < len(s) && s[i] == '.' {
		start := i + 1
		if i = digitsEnd(s, start); i == start {
			return -1
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		start := i
		if i = digitsEnd(s, start); i == start {
			return -1
		}
	}
	return i
}

func digitsEnd(s string, i int) int {
	for i < len(s) && s[i]-'0' < 10 {
		i++
	}
	return i
}

// isNumber reports whether s is a JSON number and nothing else.
func isNumber(s string) bool { return s != "" && numberEnd(s, 0) == len(s) }
