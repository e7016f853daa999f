package testsupport

import (
	"context"
	"reflect"
	"testing"
)

// Refuses calls every method of a value that takes a context and returns an error, and reports errors that are not right.
// Arguments are the samples of the types that they have, the text "a", the number 1, and lists and sequences of one element.
func Refuses(t *testing.T, value any, right func(method string, err error) bool, samples ...any) {
	t.Helper()
	v := reflect.ValueOf(value)
	called := 0
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i).Type()
		results := method.NumOut()
		if results == 0 || method.Out(results-1) != reflect.TypeFor[error]() ||
			method.NumIn() == 0 || method.In(0) != reflect.TypeFor[context.Context]() {
			continue
		}
		arguments := []reflect.Value{reflect.ValueOf(t.Context())}
		for k := 1; k < method.NumIn(); k++ {
			arguments = append(arguments, small(method.In(k), samples))
		}
		call := v.Method(i).Call
		if method.IsVariadic() {
			call = v.Method(i).CallSlice
		}
		called++
		if err, _ := reflect.TypeAssert[error](call(arguments)[results-1]); !right(name, err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if called == 0 {
		t.Errorf("%T has no method with a context and an error", value)
	}
}

// small returns a value of a type. A function calls its first argument once, as a sequence does.
func small(kind reflect.Type, samples []any) reflect.Value {
	for _, sample := range samples {
		if v := reflect.ValueOf(sample); v.Type().AssignableTo(kind) {
			return v
		}
	}
	value := reflect.New(kind).Elem()
	switch is := kind.Kind(); {
	case is == reflect.String:
		value.SetString("a")
	case value.CanInt():
		value.SetInt(1)
	case is == reflect.Slice:
		value.Set(reflect.Append(value, small(kind.Elem(), samples)))
	case is == reflect.Struct:
		for i := range kind.NumField() {
			if field := kind.Field(i); field.IsExported() && field.Type.Kind() == reflect.String {
				value.Field(i).SetString("a")
			}
		}
	case is == reflect.Func:
		value.Set(reflect.MakeFunc(kind, func(in []reflect.Value) []reflect.Value {
			yield := in[0]
			var element []reflect.Value
			for parameter := range yield.Type().Ins() {
				element = append(element, small(parameter, samples))
			}
			yield.Call(element)
			return nil
		}))
	}
	return value
}
