// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
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

// special writes the types that have rules of their own.
func (w *walker) special(v reflect.Value, depth int) bool {
	if !v.CanInterface() || v.Kind() == reflect.Interface {
		return false
	}
	switch x := v.Interface().(type) {
	case unknown:
		w.unreadable()
	case *big.Int:
		w.sink.bigint(x.String())
	case big.Int:
		w.sink.bigint(x.String())
	case *time.Time:
		return false
	case time.Time:
		w.sink.text(x.UTC().Format(time.RFC3339Nano))
	case json.Number:
		w.jsonNumber(x)
	case json.RawMessage:
		w.rawMessage(x, depth)
	default:
		return w.marshaler(v, x, depth)
	}
	return true
}

func (w *walker) jsonNumber(n json.Number) {
	switch {
	case isNumber(string(n)):
		w.sink.number(string(n))
	case n == "":
		w.sink.number("0")
	default:
		w.sink.text(string(n))
	}
}

func (w *walker) rawMessage(raw []byte, depth int) {
	v, err := decodeJSON(raw)
	if err != nil {
		w.sink.text(string(raw))
		return
	}
	w.resolve(reflect.ValueOf(v), depth)
}

// marshaler writes what a value says about itself.
func (w *walker) marshaler(v reflect.Value, x any, depth int) bool {
	if v.CanAddr() && v.Kind() != reflect.Pointer {
		x = v.Addr().Interface()
	}
	var out any
	var err error
	switch m := x.(type) {
	case json.Marshaler:
		out, err = guarded(func() (any, error) {
			raw, err := m.MarshalJSON()
			if err != nil {
				return nil, err
			}
			return decodeJSON(raw)
		})
	case encoding.TextMarshaler:
		out, err = guarded(func() (any, error) {
			text, err := m.MarshalText()
			return string(text), err
		})
	case error:
		out, err = guarded(func() (any, error) { return m.Error(), nil })
	default:
		return false
	}
	if err != nil {
		w.unreadable()
		return true
	}
	w.resolve(reflect.ValueOf(out), depth)
	return true
}

// guarded turns the panic of somebody else's method into an error.
func guarded(f func() (any, error)) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// decodeJSON decodes exactly one JSON value and keeps its numbers.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("decode json: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode json: more than one value")
	}
	return v, nil
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

// entry is a member of an object or a Map.
type entry struct {
	key   string
	value reflect.Value
}

func (w *walker) mapping(v reflect.Value, depth int) {
	if w.circular(v, 0, depth) || w.tooDeep(depth) {
		return
	}
	kind := kindMap
	var entries []entry
	var err error
	if isObject(v) {
		kind = kindObject
		entries, err = objectEntries(v)
	} else {
		entries = w.mapEntries(v, depth)
	}
	if err != nil {
		w.unreadable()
		return
	}
	w.entries(kind, entries, depth)
}

// isObject reports whether a map has keys that make it a JSON object.
func isObject(v reflect.Value) bool {
	switch t := v.Type().Key(); t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	case reflect.Interface:
		for it := v.MapRange(); it.Next(); {
			if k := it.Key().Elem(); !k.IsValid() || k.Kind() != reflect.String {
				return false
			}
		}
		return true
	default:
		return t.Implements(textMarshalerType)
	}
}

func objectEntries(v reflect.Value) ([]entry, error) {
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		if isUndefined(it.Value()) {
			continue
		}
		key, err := objectKey(it.Key())
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{key, it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return compareUTF16(a.key, b.key) })
	// Keys that differ only in bytes that are not UTF-8 are one member.
	return slices.CompactFunc(entries, func(a, b entry) bool { return a.key == b.key }), nil
}

// objectKey spells a key as encoding/json does.
func objectKey(k reflect.Value) (string, error) {
	if k.Kind() == reflect.Interface {
		k = k.Elem()
	}
	if k.Kind() == reflect.String {
		return validText(k.String()), nil
	}
	if m, ok := k.Interface().(encoding.TextMarshaler); ok {
		if isNil(k) {
			return "", nil
		}
		text, err := guarded(func() (any, error) {
			text, err := m.MarshalText()
			return validText(string(text)), err
		})
		if err != nil {
			return "", err
		}
		return text.(string), nil
	}
	if k.CanInt() {
		return strconv.FormatInt(k.Int(), 10), nil
	}
	return strconv.FormatUint(k.Uint(), 10), nil
}

// mapEntries sorts a map with other keys by the canonical forms of its keys.
func (w *walker) mapEntries(v reflect.Value, depth int) []entry {
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		if isUndefined(it.Value()) {
			continue
		}
		var f formSink
		key := walker{sink: &f, path: w.path, values: w.values}
		key.value(it.Key(), depth+1)
		entries = append(entries, entry{string(f.form), it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return entries
}

func (w *walker) entries(kind byte, entries []entry, depth int) {
	w.sink.open(kind)
	for _, e := range entries {
		if w.cut {
			break
		}
		if kind == kindMap {
			w.sink.mapKey(e.key)
		} else {
			w.sink.key(e.key)
		}
		w.value(e.value, depth+1)
	}
	w.sink.close(kind)
}

// isUndefined reports whether a member has a value that JSON leaves out.
func isUndefined(v reflect.Value) bool {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return !v.Type().Implements(marshalerType) && !v.Type().Implements(textMarshalerType)
	}
	return false
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
