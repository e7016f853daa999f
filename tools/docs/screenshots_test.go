//go:build screenshots

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
)

// TestScreenshots takes the screenshots of the five main pages in docs/img, while people answer the demonstration of
// BESTPICK_PROGRAM.
func TestScreenshots(t *testing.T) {
	command := exec.CommandContext(context.WithoutCancel(t.Context()), os.Getenv("BESTPICK_PROGRAM"), "serve", "--demo", "--listen",
		"127.0.0.1:0")
	out := testsupport.Value(command.StdoutPipe()).OrFail(t)
	testsupport.NoError(t, command.Start())
	t.Cleanup(func() { _, _ = command.Process.Kill(), command.Wait() }) // its temporary database goes with the machine's
	var root, page, token string
	answers := 0
	for lines := bufio.NewScanner(out); answers < 120 && lines.Scan(); {
		if found := regexp.MustCompile(`^\s+(http://[^/]+)(/studies/\S+)$`).FindStringSubmatch(lines.Text()); found != nil {
			root, page = found[1], found[2]
		}
		if _, after, found := strings.Cut(lines.Text(), "and sign in with the token "); found {
			token = after
		}
		_, _ = fmt.Sscanf(lines.Text(), "%d answers", &answers) // other lines have none
	}
	go func() { _, _ = out.Read(make([]byte, 1<<20)) }()
	b := browser.Start(t)
	take := func(name string, view browser.View, path, wait string) {
		w := b.Open(t, view)
		w.Go(root + "/sign-in")
		w.Type("#token", token)
		w.Keys("\r")
		w.Wait("location.pathname === '/'")
		w.Go(root + path)
		w.Wait("document.querySelector('" + wait + "')")
		time.Sleep(2 * time.Second)
		w.Screenshot(filepath.Join("..", "..", "docs", "img", name))
	}
	take("phone.png", browser.Phone(), strings.Replace(page, "/studies/", "/s/", 1), "form.question")
	desktop := browser.View{Width: 1200, Height: 1150}
	take("share.png", desktop, page+"/share", "#content")
	take("study.png", desktop, page, "#ranked")
	take("studies.png", desktop, "/", "#content")
	take("new.png", desktop, "/new", "#catalogue")
}
