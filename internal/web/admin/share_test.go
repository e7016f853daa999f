package admin

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rsc.io/qr"

	"bestpick/internal/testsupport"
)

// TestCode: the drawing equals the QR code, including its margin.
func TestCode(t *testing.T) {
	const text = "https://studies.example.com/s/ukfdzu5nnydbfo2x4q7ex6ayjn"
	code := testsupport.Value(qr.Encode(text, qr.M)).OrFail(t)
	size := code.Size + 8
	dark := make([][]bool, size)
	for y := range dark {
		dark[y] = make([]bool, size)
	}
	drawn := string(drawCode(text))
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(drawn, -1) {
		x, _ := strconv.Atoi(run[1])
		y, _ := strconv.Atoi(run[2])
		long, _ := strconv.Atoi(run[3])
		for i := range long {
			dark[y][x+i] = true
		}
	}
	for y := range dark {
		for x, is := range dark[y] {
			if is != code.Black(x-4, y-4) {
				t.Fatalf("module %d, %d has the wrong colour", x, y)
			}
		}
	}
	if !strings.Contains(drawn, "viewBox=\"0 0 "+strconv.Itoa(size)+" "+strconv.Itoa(size)+"\"") {
		t.Error(drawn)
	}
	if got := drawCode(string(bytes.Repeat([]byte("x"), 5000))); got != "" {
		t.Error("a too long text is drawn")
	}
}
