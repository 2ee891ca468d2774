// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// structField is a member of a struct as encoding/json sees it.
type structField struct {
	name      string
	index     []int
	tagged    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool
}

var fieldCache sync.Map // reflect.Type -> []structField

// fieldsOf lists the members of a struct type, sorted by name.
func fieldsOf(t reflect.Type) []structField {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.([]structField)
	}
	fields := dominant(collectFields(t, nil, map[reflect.Type]bool{}))
	cached, _ := fieldCache.LoadOrStore(t, fields)
	return cached.([]structField)
}

// collectFields lists all members, those of embedded structs included.
// A type that embeds itself is entered once.
func collectFields(t reflect.Type, index []int, inside map[reflect.Type]bool) []structField {
	if inside[t] {
		return nil
	}
	inside[t] = true
	defer delete(inside, t)
	var fields []structField
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		field, ok := readTag(f)
		if !ok {
			continue
		}
		if inner := embedded(f); inner != nil && !field.tagged {
			fields = append(fields, collectFields(inner, at, inside)...)
			continue
		}
		if !f.IsExported() && embedded(f) == nil {
			continue
		}
		field.index = at
		fields = append(fields, field)
	}
	return fields
}

// embedded returns the struct that a field embeds, or nil.
func embedded(f reflect.StructField) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !f.Anonymous || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

func readTag(f reflect.StructField) (structField, bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return structField{}, false
	}
	name, options, _ := strings.Cut(tag, ",")
	field := structField{name: f.Name}
	if validName(name) {
		field.name, field.tagged = name, true
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			field.omitEmpty = true
		case "omitzero":
			field.omitZero = true
		case "string":
			field.quoted = isScalar(f.Type)
		}
	}
	return field, true
}

func validName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

func isScalar(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	k := t.Kind()
	return k == reflect.String || k >= reflect.Bool && k <= reflect.Float64
}

// dominant keeps, of the members that share a name, the least deep one, then
// the one with a tag; if that leaves several, none (encoding/json's rule).
func dominant(fields []structField) []structField {
	slices.SortStableFunc(fields, func(a, b structField) int {
		if c := compareUTF16(a.name, b.name); c != 0 {
			return c
		}
		return a.rank() - b.rank()
	})
	var kept []structField
	for len(fields) > 0 {
		n := 1
		for n < len(fields) && fields[n].name == fields[0].name {
			n++
		}
		if n == 1 || fields[0].rank() < fields[1].rank() {
			kept = append(kept, fields[0])
		}
		fields = fields[n:]
	}
	return kept
}

func (f structField) rank() int {
	if f.tagged {
		return 2 * len(f.index)
	}
	return 2*len(f.index) + 1
}

// of returns the member's value, or false if it is left out.
func (f structField) of(v reflect.Value) (reflect.Value, bool) {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if isUndefined(v) || f.omitEmpty && isEmpty(v) || f.omitZero && isZero(v) {
		return reflect.Value{}, false
	}
	if f.quoted && !isNil(v) {
		return quotedValue(v), true
	}
	return v, true
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func isZero(v reflect.Value) bool {
	if !v.CanInterface() || isNil(v) {
		return v.IsZero()
	}
	z, ok := v.Interface().(interface{ IsZero() bool })
	if !ok {
		return v.IsZero()
	}
	zero, err := guarded(func() (any, error) { return z.IsZero(), nil })
	return err == nil && zero.(bool)
}

// quotedValue is the text that the tag option "string" makes of a scalar.
func quotedValue(v reflect.Value) reflect.Value {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return v
	}
	return reflect.ValueOf(string(text))
}
