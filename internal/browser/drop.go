package browser

import (
	"github.com/chromedp/cdproto/input"
)

// Drop drags files from outside the browser over the middle of the first element of a selector, and lets them go.
func (w *Window) Drop(selector string, paths ...string) {
	w.Helper()
	at := Eval[struct{ X, Y float64 }](w, "(() => { const e = document.querySelector("+quote(selector)+"); e.scrollIntoView({block: 'center'}); "+
		"const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()")
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		call(w, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data})
	}
}
