package respond

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// renderFirst puts renderers before the library's own.
const renderFirst = 100

var converter = goldmark.New( //nolint:gochecknoglobals // immutable, and safe for concurrent use
	goldmark.WithExtensions(
		extension.Strikethrough, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(safe{}, renderFirst))),
)

// markdownHTML renders Markdown from strangers, in CommonMark with strikethrough and tables, as HTML that is safe to show:
// HTML in it is shown as text, links and images as their words. The output has no attributes with values of the input, so
// it loads nothing and leads nowhere.
func markdownHTML(text string) template.HTML {
	var out bytes.Buffer
	if err := converter.Convert([]byte(text), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(out.String())
}

// safe renders the nodes that could contain HTML or addresses.
type safe struct{}

// RegisterFuncs registers the functions that render nodes.
func (safe) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindLink, words)
	register.Register(ast.KindImage, words)
	register.Register(ast.KindAutoLink, autoLink)
	register.Register(ast.KindRawHTML, rawHTML)
	register.Register(ast.KindHTMLBlock, htmlBlock)
	register.Register(ast.KindFencedCodeBlock, code)
}

// words renders only the text of a node.
func words(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if link, is := n.(*ast.AutoLink); is && entering {
		escape(w, link.Label(source))
	}
	return ast.WalkContinue, nil
}

func rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if raw, is := n.(*ast.RawHTML); is && entering {
		for i := range raw.Segments.Len() {
			segment := raw.Segments.At(i)
			escape(w, segment.Value(source))
		}
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	block, is := n.(*ast.HTMLBlock)
	if !is || !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<pre>")
	lines(w, source, n)
	if block.HasClosure() {
		escape(w, block.ClosureLine.Value(source))
	}
	_, _ = w.WriteString("</pre>\n")
	return ast.WalkContinue, nil
}

// code renders a fenced block without the name of its language.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<pre><code>")
		lines(w, source, n)
		_, _ = w.WriteString("</code></pre>\n")
	}
	return ast.WalkContinue, nil
}

func lines(w util.BufWriter, source []byte, n ast.Node) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		escape(w, line.Value(source))
	}
}

// escape writes a text that HTML shows as it is. Errors of the writer appear when it is flushed.
func escape(w util.BufWriter, text []byte) { _, _ = w.Write(util.EscapeHTML(text)) }
