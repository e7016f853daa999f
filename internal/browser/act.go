package browser

import (
	"context"
	"encoding/json"
	"os"
	"time"

	devtools "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// step is how often a window looks whether what it waits for is there.
const step = 20 * time.Millisecond

// Go loads a page.
func (w *Window) Go(address string) {
	w.Helper()
	w.do(chromedp.Navigate(address))
}

// Reload loads the page again.
func (w *Window) Reload() {
	w.Helper()
	w.do(chromedp.Reload())
}

// ReloadOffline loads the page again, which the browser cannot.
func (w *Window) ReloadOffline() {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.context, patience)
	defer cancel()
	if chromedp.Do(ctx, chromedp.Reload()) == nil {
		w.Fatal("the page is loaded although there is no connection")
	}
}

// Click clicks on the first element of a selector with the mouse, and Tap taps on it with a finger.
func (w *Window) Click(selector string) {
	w.Helper()
	w.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Tap taps on the first element of a selector with a finger.
func (w *Window) Tap(selector string) {
	w.Helper()
	w.do(chromedp.Tap(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Keys presses keys, one after another.
func (w *Window) Keys(keys string) {
	w.Helper()
	w.do(chromedp.KeyEvent(keys))
}

// Type writes into the first element of a selector, and Upload chooses files for it.
func (w *Window) Type(selector, text string) {
	w.Helper()
	w.do(chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// Upload chooses files for the first element of a selector.
func (w *Window) Upload(selector string, paths ...string) {
	w.Helper()
	w.do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// Text is that of the first element of a selector, as it is shown.
func (w *Window) Text(selector string) string {
	w.Helper()
	return Eval[string](w, "document.querySelector("+quote(selector)+")?.innerText ?? ''")
}

// Eval evaluates JavaScript; of a promise, what comes of it.
func Eval[T any](w *Window, expression string) T {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.context, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Wait waits until an expression is true.
func (w *Window) Wait(expression string) {
	w.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(step) {
		ctx, cancel := context.WithTimeout(w.context, patience)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		cancel()
		if err == nil && is { // while a page is loaded there is an error
			return
		}
	}
	w.Screenshot(os.TempDir() + "/bestpick-failed.png")
	w.Fatalf("in vain: %s; the page says\n%s", expression, w.Text("body"))
}

// WaitText waits until the first element of a selector has a text and all of the page is there.
func (w *Window) WaitText(selector, text string) {
	w.Helper()
	w.Wait("document.readyState !== 'loading' && document.querySelector(" + quote(selector) + ")?.innerText.trim() === " + quote(text))
}

// Offline cuts the connection, or brings it back.
func (w *Window) Offline(cut bool) {
	w.Helper()
	conditions := &network.Conditions{DownloadThroughput: -1, UploadThroughput: -1, Offline: cut}
	type params struct { // earlier versions of Chromium need offline here
		Offline bool                  `json:"offline"`
		Rules   []*network.Conditions `json:"matchedNetworkConditions"`
	}
	call(w, cdp.Command[params, network.EmulateNetworkConditionsByRuleResult](network.EmulateNetworkConditionsByRule),
		params{cut, []*network.Conditions{conditions}})
	call(w, network.OverrideNetworkState,
		network.OverrideNetworkStateParams{Offline: cut, DownloadThroughput: -1, UploadThroughput: -1})
	if cut {
		w.Expect("net::ERR_INTERNET_DISCONNECTED")
	}
}

// AllowCopying lets pages write to the clipboard, which browsers that have windows allow after a click.
func (w *Window) AllowCopying() {
	w.Helper()
	info := call(w, target.GetTargetInfo, target.GetTargetInfoParams{}).TargetInfo
	call(w, devtools.SetPermission, devtools.SetPermissionParams{
		Permission: &devtools.PermissionDescriptor{Name: "clipboard-write"}, Setting: devtools.PermissionSettingGranted,
		BrowserContextID: info.BrowserContextID,
	})
}

// Cookie gives the browser a cookie for an address.
func (w *Window) Cookie(address, name, value string) {
	w.Helper()
	call(w, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: address})
}

// Print returns the page as PDF, as it would be printed.
func (w *Window) Print() []byte {
	w.Helper()
	printed := call(w, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
	return printed.Data
}

// FullScreenshot writes all of the page to a file, as PNG, also what is below the window.
func (w *Window) FullScreenshot(path string) {
	w.Helper()
	shot := call(w, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true)})
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		w.Error(err)
	}
}

// Screenshot writes what the window shows to a file, as PNG.
func (w *Window) Screenshot(path string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.context, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(path, picture, 0o644)
	}
	if err != nil {
		w.Error(err)
	}
}

// quote writes a text as JavaScript.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("browser: " + err.Error())
	}
	return string(quoted)
}
