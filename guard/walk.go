// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"sync/atomic"
)

// Limits of the canonical form (agent-loopguard 0.1.0, "Canonical form").
const (
	maxDepth  = 64
	maxValues = 200_000
)

const (
	kindArray  byte = '['
	kindObject byte = '{'
	kindMap    byte = 'M'
)

const (
	depthMark = "[Depth]"
	cutMark   = "[Cut]"
)

// sink takes a value in pieces, in canonical order.
type sink interface {
	// token takes null, true, false, NaN, the infinities and the marks.
	token(s string)
	// number takes a JSON number literal, bigint the digits of a *big.Int.
	number(lit string)
	bigint(digits string)
	text(s string)
	open(kind byte)
	// key announces a member of an object, mapKey one of a Map by the
	// canonical form of its key.
	key(s string)
	mapKey(form string)
	close(kind byte)
}

// walker feeds a Go value to a sink.
type walker struct {
	sink   sink
	values int
	cut    bool
	path   []reference
	// settled counts the values that formOf has walked.
	settled *int
	// enough, if set, ends the walk early.
	enough func() bool
}

// reference is a pointer, map or slice that is being walked.
type reference struct {
	addr  uintptr
	typ   reflect.Type
	len   int
	depth int
}

var unreadables atomic.Uint64

func (w *walker) root(v any) { w.value(reflect.ValueOf(v), 0) }

func (w *walker) unreadable() {
	w.sink.token("[Unreadable:" + strconv.FormatUint(unreadables.Add(1), 10) + "]")
}

// value walks one value that has depth containers around it.
func (w *walker) value(v reflect.Value, depth int) {
	if w.values++; w.values > maxValues {
		w.cut = true
		w.sink.token(cutMark)
		return
	}
	if w.enough != nil && w.enough() {
		w.cut = true
		return
	}
	held := len(w.path)
	w.resolve(v, depth)
	w.path = w.path[:held]
}

// resolve follows pointers and interfaces to the value they hold.
func (w *walker) resolve(v reflect.Value, depth int) {
	for hops := 0; ; hops++ {
		if !v.IsValid() || isNil(v) {
			w.sink.token("null")
			return
		}
		if hops > maxDepth {
			w.sink.token(depthMark)
			return
		}
		if w.special(v, depth) {
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			if w.circular(v, 0, depth) {
				return
			}
			v = v.Elem()
		case reflect.Interface:
			v = v.Elem()
		default:
			w.plain(v, depth)
			return
		}
	}
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// circular notes that v is being walked, or says that it is already.
func (w *walker) circular(v reflect.Value, n, depth int) bool {
	ref := reference{addr: v.Pointer(), typ: v.Type(), len: n, depth: depth}
	for _, r := range w.path {
		if r.addr == ref.addr && r.typ == ref.typ && r.len == ref.len {
			w.sink.token("[Circular:" + strconv.Itoa(r.depth) + "]")
			return true
		}
	}
	w.path = append(w.path, ref)
	return false
}

// plain writes a value by its kind.
func (w *walker) plain(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		w.sink.token(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.sink.number(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.sink.number(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		w.float(v.Float(), v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		w.sink.token(strconv.FormatComplex(v.Complex(), 'g', -1, 128))
	case reflect.String:
		w.sink.text(v.String())
	case reflect.Slice, reflect.Array:
		w.sequence(v, depth)
	case reflect.Map:
		w.mapping(v, depth)
	case reflect.Struct:
		w.structure(v, depth)
	default: // functions, channels, unsafe pointers
		w.sink.token("null")
	}
}

func (w *walker) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		w.sink.token("NaN")
	case math.IsInf(f, 1):
		w.sink.token("Infinity")
	case math.IsInf(f, -1):
		w.sink.token("-Infinity")
	default:
		w.sink.number(strconv.FormatFloat(f, 'e', -1, bits))
	}
}

// tooDeep writes the mark that stands for a container below the limit.
func (w *walker) tooDeep(depth int) bool {
	if depth < maxDepth {
		return false
	}
	w.sink.token(depthMark)
	return true
}

func (w *walker) sequence(v reflect.Value, depth int) {
	if v.Kind() == reflect.Slice {
		if v.Type().Elem().Kind() == reflect.Uint8 && !isMarshaler(v.Type().Elem()) {
			w.sink.text(base64.StdEncoding.EncodeToString(v.Bytes()))
			return
		}
		if v.Len() > 0 && w.circular(v, v.Len(), depth) {
			return
		}
	}
	if w.tooDeep(depth) {
		return
	}
	w.sink.open(kindArray)
	for i := 0; i < v.Len() && !w.cut; i++ {
		w.value(v.Index(i), depth+1)
	}
	w.sink.close(kindArray)
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

func isMarshaler(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) || p.Implements(textMarshalerType)
}

func (w *walker) structure(v reflect.Value, depth int) {
	if w.tooDeep(depth) {
		return
	}
	w.sink.open(kindObject)
	for _, f := range fieldsOf(v.Type()) {
		if w.cut {
			break
		}
		value, ok := f.of(v)
		if !ok {
			continue
		}
		w.sink.key(f.name)
		w.value(value, depth+1)
	}
	w.sink.close(kindObject)
}
