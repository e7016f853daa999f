package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// takeScreenshots starts the demonstration, waits for enough answers, and takes the screenshots in Chromium.
func takeScreenshots(ctx context.Context, program, folder string) (err error) {
	arguments := []string{"serve", "--demo", "--listen", "127.0.0.1:0"}
	command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // the caller names the program
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, command.Process.Signal(os.Interrupt), command.Wait()) }()
	page, token, err := begun(out)
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.Flag("hide-scrollbars", true))
	browser, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	respondent := view{width: 360, height: 740, scale: 2, phone: true}
	if err := respondent.take(browser, filepath.Join(folder, "phone.png"),
		chromedp.Navigate(strings.Replace(page, "/studies/", "/s/", 1)), chromedp.WaitVisible("form.question"),
		chromedp.Sleep(time.Second)); err != nil {
		return err
	}
	root, _, _ := strings.Cut(page, "/studies/")
	owner := view{width: 1200, height: 1150, scale: 1}
	for _, shown := range []struct{ name, address, wait string }{
		{"share.png", page + "/share", "#content"}, // first, while the study is open
		{"study.png", page, "#ranked"},
		{"studies.png", root + "/", "#content"},
		{"new.png", root + "/new", "#catalogue"},
	} {
		if err := owner.take(browser, filepath.Join(folder, shown.name),
			chromedp.Navigate(page), chromedp.WaitVisible("#token"), chromedp.SendKeys("#token", token), chromedp.Submit("#token"),
			chromedp.WaitVisible("#ranked"),
			chromedp.Navigate(shown.address), chromedp.WaitVisible(shown.wait), chromedp.Sleep(2*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// begun reads the output of the demonstration until there are enough answers for a screenshot, and returns
// the address of the study's page and the owner's token. It discards the rest of the output.
func begun(out io.Reader) (page, token string, err error) {
	const enough = 120
	address := regexp.MustCompile(`^\s+(http://\S+/studies/\S+)$`)
	signIn := regexp.MustCompile(`^and sign in with the token (\S+)$`)
	progress := regexp.MustCompile(`^ *(\d+) answers`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			page = found[1]
		}
		if found := signIn.FindStringSubmatch(lines.Text()); found != nil {
			token = found[1]
		}
		if found := progress.FindStringSubmatch(lines.Text()); found != nil {
			if answers, _ := strconv.Atoi(found[1]); answers >= enough { // the pattern matches digits only
				go func() { _, _ = io.Copy(io.Discard, out) }() // until the program ends
				return page, token, nil
			}
		}
	}
	return "", "", fmt.Errorf("the demonstration ended early: %w", lines.Err())
}

// A view is the size and scale of a browser window.
type view struct {
	width, height int64
	scale         float64
	phone         bool
}

// take opens a window, runs the steps, and writes a screenshot.
func (v view) take(browser context.Context, path string, steps ...chromedp.Action[chromedp.Void]) error {
	const patience = time.Minute
	window, closeWindow := chromedp.NewContext(browser)
	defer closeWindow()
	window, cancel := context.WithTimeout(window, patience)
	defer cancel()
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(v.scale)}
	if v.phone {
		options = append(options, chromedp.EmulateMobile)
	}
	if err := chromedp.Do(window, append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(v.width, v.height, options...)},
		steps...)...); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	picture, err := chromedp.Run(window, chromedp.CaptureScreenshot())
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return os.WriteFile(path, picture, 0o644) //nolint:gosec // the file is public
}
