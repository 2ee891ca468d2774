// Copyright The loop_guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"time"
)

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
