package browser

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience is how long a window waits for something, on a machine that is busy with other tests.
const patience = time.Minute

// A View is what a window looks like.
type View struct {
	Width, Height int64
	Touch         bool
	Dark          bool
	NoScript      bool
	Contrast      bool // more of it
}

// Phone is a small one, and Desktop a large screen.
func Phone() View { return View{Width: 360, Height: 740, Touch: true} }

// Desktop is a window on a large screen.
func Desktop() View { return View{Width: 1440, Height: 900} }

// A Window is one page, with cookies and storage of its own.
type Window struct {
	*testing.T

	context context.Context //nolint:containedctx // it is what the window is, to chromedp
	mutex   sync.Mutex
	allowed []string // parts of messages that are expected
	faults  []string
}

// Open opens a window that is closed with the test. Then the test fails if the console had an error that was
// not expected, or a request was sent to another machine.
func (b *Browser) Open(t *testing.T, v View) *Window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.context, chromedp.WithNewBrowserContext())
	w := &Window{T: t, context: ctx}
	w.watch()
	t.Cleanup(func() {
		cancel()
		w.mutex.Lock()
		defer w.mutex.Unlock()
		for _, fault := range w.faults {
			t.Error(fault)
		}
	})
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(1)}
	if v.Touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	w.do(chromedp.EmulateViewport(v.Width, v.Height, options...))
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-contrast", Value: "no-preference"},
	}
	if v.Dark {
		features[0].Value = "dark"
	}
	if v.Contrast {
		features[1].Value = "more"
	}
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	if v.NoScript {
		w.NoScript()
	}
	return w
}

// NoScript has pages run no script, from the next one on.
func (w *Window) NoScript() {
	w.Helper()
	call(w, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// watch notes what must not happen.
func (w *Window) watch() {
	w.Helper()
	if err := chromedp.Do(w.context); err != nil { // the window lives as long as the context of what is done first
		w.Fatal(err)
	}
	call(w, network.Enable, network.EnableParams{})
	messages, requests := chromedp.Console(w.context), chromedp.Events(w.context, network.RequestWillBeSent)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			if message.Type == chromedp.ConsoleError || message.IsException() || message.Type == "assert" {
				w.fault("the console says " + message.String() + " " + message.URL)
			}
		}
	}()
	go func() {
		for request, err := range requests {
			if err != nil {
				return
			}
			if address := request.Request.URL; !here(address) {
				w.fault("a request leaves the machine: " + address)
			}
		}
	}()
}

func (w *Window) fault(text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, part := range w.allowed {
		if strings.Contains(text, part) {
			return
		}
	}
	w.faults = append(w.faults, text)
}

// Expect says that messages of the console with a part are no fault from now on.
func (w *Window) Expect(part string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.allowed = append(w.allowed, part)
}

// here reports whether an address is on this machine.
func here(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch parsed.Scheme {
	case "data", "blob", "about", "chrome", "chrome-error":
		return true
	}
	return parsed.Hostname() == "127.0.0.1" || parsed.Hostname() == "localhost"
}

// Frame returns the page of another site that the window shows in a frame.
func (w *Window) Frame(prefix string) *Window {
	w.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(step) {
		targets, err := chromedp.Targets(w.context)
		if err != nil {
			w.Fatal(err)
		}
		for _, info := range targets {
			if info.Type != "iframe" || !strings.HasPrefix(info.URL, prefix) {
				continue
			}
			ctx, cancel := chromedp.NewContext(w.context, chromedp.WithTargetID(info.TargetID))
			w.Cleanup(cancel)
			frame := &Window{T: w.T, context: ctx}
			frame.watch()
			w.Cleanup(func() {
				for _, fault := range frame.faults {
					w.Error(fault)
				}
			})
			return frame
		}
	}
	w.Fatalf("there is no frame of %s", prefix)
	return nil
}

// call runs a command of the browser.
func call[P, R any](w *Window, command cdp.Command[P, R], params P) R {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.context, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		w.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// do does something that has to be possible. An element is found first and used then, and if the page replaces it in
// between, nothing has happened to it yet: do looks for it again.
func (w *Window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.context, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, steps...)
		if err == nil {
			return
		}
		if !isStale(err) || ctx.Err() != nil {
			w.Fatal(err)
		}
		time.Sleep(step)
	}
}

// isStale reports whether the browser has replaced the element that a step had found.
func isStale(err error) bool {
	text := err.Error()
	return strings.Contains(text, "Could not find node") || strings.Contains(text, "No node with given id")
}
