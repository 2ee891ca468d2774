// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// entry is a member of an object or a Map.
type entry struct {
	key   string
	value reflect.Value
	// form is that of the value, where another entry has the same key.
	form string
}

func (w *walker) mapping(v reflect.Value, depth int) {
	if w.circular(v, 0, depth) || w.tooDeep(depth) {
		return
	}
	kind := kindMap
	var entries []entry
	var ok bool
	if isObject(v) {
		kind = kindObject
		entries, ok = w.objectEntries(v, depth)
	} else {
		entries, ok = w.mapEntries(v, depth)
	}
	if !ok {
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

// objectEntries sorts the members of an object. Keys that differ only in bytes
// that are not UTF-8, or in what they do not write, are one member: that with
// the greatest value.
func (w *walker) objectEntries(v reflect.Value, depth int) ([]entry, bool) {
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		if isUndefined(it.Value()) {
			continue
		}
		key, err := objectKey(it.Key())
		if err != nil {
			return nil, false
		}
		entries = append(entries, entry{key: key, value: it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return compareUTF16(a.key, b.key) })
	if !w.settle(entries, depth) {
		return nil, false
	}
	slices.Reverse(entries)
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return a.key == b.key })
	slices.Reverse(entries)
	return entries, true
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
func (w *walker) mapEntries(v reflect.Value, depth int) ([]entry, bool) {
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		if isUndefined(it.Value()) {
			continue
		}
		var f formSink
		key := walker{sink: &f, path: w.path, values: w.values}
		key.value(it.Key(), depth+1)
		entries = append(entries, entry{key: string(f.form), value: it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return entries, w.settle(entries, depth)
}

// settle sorts entries whose keys are written alike (1 and int64(1), two NaN) by
// their values: Go hands them out in any order. It fails if that takes too long.
func (w *walker) settle(entries []entry, depth int) bool {
	for from, to := 0, 0; from < len(entries); from = to {
		for to = from + 1; to < len(entries) && entries[to].key == entries[from].key; {
			to++
		}
		alike := entries[from:to]
		if len(alike) == 1 {
			continue
		}
		for i := range alike {
			var ok bool
			if alike[i].form, ok = w.formOf(alike[i].value, depth+1); !ok {
				return false
			}
		}
		slices.SortFunc(alike, func(a, b entry) int { return strings.Compare(a.form, b.form) })
	}
	return true
}

// formOf is the canonical form of a part of the value. All such forms together
// may have as many values as the value itself, else a nest of maps would take
// twice as long with every level.
func (w *walker) formOf(v reflect.Value, depth int) (string, bool) {
	if w.settled == nil {
		w.settled = new(int)
	}
	if *w.settled > maxValues {
		return "", false
	}
	var f formSink
	part := walker{sink: &f, path: w.path, settled: w.settled}
	part.value(v, depth)
	*w.settled += part.values
	return string(f.form), *w.settled <= maxValues
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
