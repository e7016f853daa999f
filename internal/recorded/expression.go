package recorded

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bestpick/internal/table"
)

// An expression computes a feature from columns:
//
//	comparison = sum [("==" | "!=" | "<=" | ">=" | "<" | ">") sum]    1 if it holds, 0 otherwise
//	sum        = product {("+" | "-") product}
//	product    = power {("*" | "/" | ":") power}
//	power      = operand ["^" power] | "-" power
//	operand    = number | name | "`" any name "`" | "'" text "'" | function "(" comparison ")" | "(" comparison ")"
//
// A name is a column. After ":" it may also be an alternative, which is 1 on the rows of that
// alternative and 0 elsewhere, and after "==" or "!=" a text.
type expression struct {
	operator string        // "" for a number, a name or a text; else an operator or a function
	operands []*expression // two of an operator, one of a function and of a sign

	number float64
	name   string
	role   role
	at     int // the column of the name
}

// A role says what a name stands for.
type role uint8

const (
	aNumber role = iota
	aColumn
	columnOrAlternative // until the columns are known
	columnOrText
	anAlternative
	aText
)

// function returns a function of expressions, nil for another name. I is the identity, as in formulas of R.
func function(name string) func(float64) float64 {
	switch name {
	case "log":
		return math.Log
	case "exp":
		return math.Exp
	case "sqrt":
		return math.Sqrt
	case "abs":
		return math.Abs
	case "I":
		return func(x float64) float64 { return x }
	}
	return nil
}

// maxExpression is the largest length of an expression, which bounds how deep it is.
const maxExpression = 1000

// parseExpression parses an expression. A text without operators is the name of a column.
func parseExpression(text string) (*expression, error) {
	if !strings.ContainsAny(text, "+-*/:^=<>!()`'") {
		return &expression{name: text, role: aColumn}, nil
	}
	p := &expressionParser{text: text}
	if len(text) > maxExpression {
		return nil, fmt.Errorf("an expression must have at most %d characters", maxExpression)
	}
	e := p.comparison()
	if p.skip(); p.err == nil && p.at < len(text) {
		p.fail("an operator")
	}
	return e, p.err
}

// An expressionParser parses by recursive descent. After an error its results have no meaning.
type expressionParser struct {
	text string
	at   int
	err  error
}

// fail keeps the first error: what was expected at this place.
func (p *expressionParser) fail(expected string) *expression {
	if p.err == nil {
		found := "the end"
		if p.at < len(p.text) {
			r, _ := utf8.DecodeRuneInString(p.text[p.at:])
			found = fmt.Sprintf("%q", r)
		}
		p.err = fmt.Errorf("expected %s at character %d of the expression, found %s",
			expected, utf8.RuneCountInString(p.text[:p.at])+1, found)
	}
	p.at = len(p.text)
	return &expression{}
}

func (p *expressionParser) skip() {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " "))
}

// accept returns the first of some operators that comes next, or "".
func (p *expressionParser) accept(operators ...string) string {
	p.skip()
	for _, operator := range operators {
		if strings.HasPrefix(p.text[p.at:], operator) {
			p.at += len(operator)
			return operator
		}
	}
	return ""
}

func (p *expressionParser) comparison() *expression {
	e := p.sum()
	if operator := p.accept("==", "!=", "<=", ">=", "<", ">"); operator != "" {
		right := p.sum()
		if operator == "==" || operator == "!=" {
			right.weaken(columnOrText)
		}
		e = &expression{operator: operator, operands: []*expression{e, right}}
	}
	return e
}

func (p *expressionParser) sum() *expression {
	e := p.product()
	for operator := p.accept("+", "-"); operator != ""; operator = p.accept("+", "-") {
		e = &expression{operator: operator, operands: []*expression{e, p.product()}}
	}
	return e
}

func (p *expressionParser) product() *expression {
	e := p.power()
	for operator := p.accept("*", "/", ":"); operator != ""; operator = p.accept("*", "/", ":") {
		right := p.power()
		if operator == ":" {
			right.weaken(columnOrAlternative)
		}
		e = &expression{operator: operator, operands: []*expression{e, right}}
	}
	return e
}

func (p *expressionParser) power() *expression {
	if p.accept("-") != "" {
		return &expression{operator: "-", operands: []*expression{{}, p.power()}}
	}
	e := p.operand()
	if p.accept("^") != "" {
		e = &expression{operator: "^", operands: []*expression{e, p.power()}}
	}
	return e
}

func (p *expressionParser) operand() *expression {
	if quote := p.accept("`", "'"); quote != "" {
		name, _, closed := strings.Cut(p.text[p.at:], quote)
		if p.at += len(name); !closed {
			return p.fail(quote)
		}
		p.at += len(quote)
		if quote == "'" {
			return &expression{name: name, role: aText}
		}
		return &expression{name: name, role: aColumn}
	}
	if p.accept("(") != "" {
		return p.closed(p.comparison())
	}
	word := p.word()
	switch x, isNumber := table.ParseNumber(word); {
	case word == "":
		return p.fail("a column, a number or (")
	case isNumber:
		return &expression{number: x}
	case p.accept("(") == "":
		return &expression{name: word, role: aColumn}
	case function(word) == nil:
		p.at -= len(word) + 1
		return p.fail("one of the functions log, exp, sqrt, abs and I")
	default:
		return &expression{operator: word, operands: []*expression{p.closed(p.comparison())}}
	}
}

// closed returns e, and expects a closing parenthesis.
func (p *expressionParser) closed(e *expression) *expression {
	if p.accept(")") == "" {
		return p.fail(")")
	}
	return e
}

// word returns the name or the number that comes next, "" if there is none. Numbers may have an exponent.
func (p *expressionParser) word() string {
	p.skip()
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.", r)
	})
	if end < 0 {
		end = len(rest)
	}
	if exponent := rest[:end]; end > 0 && end < len(rest)-1 &&
		strings.ContainsRune("+-", rune(rest[end])) && strings.ContainsRune("eE", rune(rest[end-1])) {
		digits := strings.IndexFunc(rest[end+1:], func(r rune) bool { return !unicode.IsDigit(r) })
		if digits < 0 {
			digits = len(rest) - end - 1
		}
		if _, number := table.ParseNumber(exponent + rest[end:end+1+digits]); number {
			end += 1 + digits
		}
	}
	p.at += end
	return rest[:end]
}

// weaken lets a name stand for something else than a column.
func (e *expression) weaken(to role) {
	if e.role == aColumn {
		e.role = to
	}
}

// each calls f for all parts.
func (e *expression) each(f func(*expression)) {
	f(e)
	for _, operand := range e.operands {
		operand.each(f)
	}
}

// columns returns the names that are columns, and those that may be something else.
func (e *expression) columns() (sure, maybe []string) {
	e.each(func(part *expression) {
		switch part.role {
		case aColumn:
			sure = append(sure, part.name)
		case columnOrAlternative, columnOrText:
			maybe = append(maybe, part.name)
		case aNumber, anAlternative, aText:
		}
	})
	return sure, maybe
}

// alternatives returns the alternatives that it has terms of, after resolve.
func (e *expression) alternatives() (names []string) {
	e.each(func(part *expression) {
		if part.role == anAlternative {
			names = append(names, part.name)
		}
	})
	return names
}

// resolve returns the expression with the places of its columns. column names the alternatives.
func (e *expression) resolve(r *table.Reader, column string) (*expression, error) {
	made := *e
	made.operands = nil
	for _, operand := range e.operands {
		resolved, err := operand.resolve(r, column)
		if err != nil {
			return nil, err
		}
		made.operands = append(made.operands, resolved)
	}
	if e.role == aNumber || e.role == aText {
		return &made, nil
	}
	at, err := r.Column(e.name)
	switch made.at, made.role = at, aColumn; {
	case err == nil:
	case e.role == columnOrText:
		made.role, err = aText, nil
	case e.role == columnOrAlternative && hasColumn(r, column):
		made.role, err = anAlternative, nil
	}
	return &made, err
}

// place returns a column of it, for errors.
func (e *expression) place() (column int) {
	column = -1
	e.each(func(part *expression) {
		if part.role == aColumn && column < 0 {
			column = part.at
		}
	})
	return max(column, 0)
}

// value returns the value for the current row. alternative is the column that names it.
func (e *expression) value(r *table.Reader, alternative int) (float64, error) {
	switch {
	case e.role == aColumn:
		return r.Number(e.at)
	case e.role == anAlternative:
		return float64(picked(r.Text(alternative) == e.name)), nil
	case e.role == aText:
		return 0, r.Errorf(e.place(), "the text %q can only be compared, by == or !=", e.name)
	case e.operator == "":
		return e.number, nil
	case e.operands[len(e.operands)-1].role == aText && e.operands[0].role == aColumn && strings.HasSuffix(e.operator, "="):
		text := r.Text(e.operands[0].at)
		if table.IsMissing(text) {
			return 0, r.Missing(e.operands[0].at)
		}
		return float64(picked((text == e.operands[1].name) == (e.operator == "=="))), nil
	}
	var x [2]float64
	for i, operand := range e.operands {
		var err error
		if x[i], err = operand.value(r, alternative); err != nil {
			return 0, err
		}
	}
	result := apply(e.operator, x[0], x[1])
	if result-result != 0 {
		return 0, r.Errorf(e.place(), "%s is not a finite number here", e.describe(x[:len(e.operands)]))
	}
	return result, nil
}

// describe returns the operation with its values, such as log(0).
func (e *expression) describe(x []float64) string {
	if len(x) == 1 {
		return fmt.Sprintf("%s(%v)", e.operator, x[0])
	}
	return fmt.Sprintf("%v%s%v", x[0], e.operator, x[1])
}

// apply returns the result of an operator or a function.
func apply(operator string, a, b float64) float64 {
	switch operator {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*", ":":
		return a * b
	case "/":
		return a / b
	case "^":
		return math.Pow(a, b)
	case "==":
		return float64(picked(a == b))
	case "!=":
		return float64(picked(a != b))
	case "<":
		return float64(picked(a < b))
	case "<=":
		return float64(picked(a <= b))
	case ">":
		return float64(picked(a > b))
	case ">=":
		return float64(picked(a >= b))
	default:
		return function(operator)(a)
	}
}

// modelColumns returns the columns of the model: those that features name or compute with, and names that may
// also be an alternative or a text.
func (f *LongForm) modelColumns(header []string) (sure, maybe []string) {
	for _, name := range slices.Concat(f.Features, f.ByAlternative) {
		e, err := parseExpression(name)
		if err != nil || slices.Contains(header, name) {
			sure = append(sure, name)
			continue
		}
		columns, others := e.columns()
		sure, maybe = append(sure, columns...), append(maybe, others...)
	}
	return sure, maybe
}
