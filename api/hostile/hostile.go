// Package hostile makes requests that nobody should send. It reads the OpenAPI description of an interface and
// makes requests for every operation, right but for what is wrong on purpose: types, numbers, texts, files,
// tokens, headers, or how the body is sent. All choices come from bytes, so that what was found can be repeated,
// and a fuzzer can look for more.
package hostile

import "slices"

// What bodies can be.
const (
	jsonType = "application/json"
	formType = "multipart/form-data"
)

// A maker makes one request.
type maker struct {
	*Description

	world    *World
	dice     *Dice
	wild     bool // things may be wrong
	scene    Scene
	question Question
}

// Request makes a request about a world. One in three is as it should be.
func (d *Description) Request(world *World, dice *Dice) Request {
	o := choose(dice, d.operations)
	m := &maker{Description: d, world: world, dice: dice, wild: dice.below(3) > 0}
	m.scene = choose(dice, world.Scenes)
	if asked := m.asked(); len(asked) > 0 {
		m.question = choose(dice, asked)
	}
	kind, body := "", ""
	if content, is := o.Body.Content[jsonType]; is {
		kind, body = jsonType, m.body(content.Schema)
	}
	if content, is := o.Body.Content[formType]; is {
		kind, body = m.form(content.Schema, func(field string) bool { return content.Encoding[field].ContentType == jsonType })
	}
	if body == "" && m.odd(20) {
		body = choose(dice, m.values)
	}
	method := o.method
	if m.odd(40) {
		method = choose(dice, []string{"HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "get", "PROPFIND", "X"})
	}
	r := m.framed(method, m.address(o), m.headers(o, kind), body)
	r.Operation, r.Study = o.ID, m.scene.Study
	return r
}

// asked are the questions of the scene or, now and then, of another one.
func (m *maker) asked() []Question {
	if m.odd(8) {
		return choose(m.dice, m.world.Scenes).Questions
	}
	return m.scene.Questions
}

// odd is true once in n times, if anything may be wrong.
func (m *maker) odd(n int) bool { return m.wild && m.dice.oneIn(n) }

// or is a list of odd texts, and more.
func (m *maker) or(more ...string) []string { return slices.Concat(m.texts, more) }
