// Package picture makes pictures from strangers safe to serve: it decodes JPEG, PNG, GIF and WebP of bounded
// size, resizes them for cards, and encodes them again, so that nothing of the file is left but its pixels.
package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // formats that are decoded
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	_ "golang.org/x/image/webp" // as above

	"bestpick/internal/middleware"
	"bestpick/internal/table"
)

// A Picture is a picture that is ready to be served.
type Picture struct {
	Hash  string // of its bytes, in hexadecimal digits
	Type  string // image/jpeg or image/png
	Bytes []byte
}

// Limits of a file, and of pictures on cards.
const (
	MaxBytes = 20 << 20
	maxPlain = 100 << 20 // bytes of the pixels
	maxSide  = 800       // pixels
)

// scheme is how the image of an arm starts that is a stored picture. The hash follows.
const scheme = "picture:"

// Name returns the image of an arm that is this picture.
func (p Picture) Name() string { return scheme + p.Hash }

// Hash returns the hash of a stored picture from the image of an arm, and whether it is one.
func Hash(name string) (hash string, stored bool) { return strings.CutPrefix(name, scheme) }

// decoding bounds memory: one picture is decoded at a time.
var decoding sync.Mutex //nolint:gochecknoglobals // one for all studies, which bounds the memory of the process

// Read makes a picture from a file.
func Read(file io.Reader) (Picture, error) {
	content, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return Picture{}, errors.New("the picture cannot be read")
	}
	if len(content) > MaxBytes {
		return Picture{}, errors.New("the picture is larger than " + table.Size(MaxBytes))
	}
	size, format, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return Picture{}, errors.New("the file is not a JPEG, PNG, GIF or WebP picture")
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPlain/pixelBytes(size.ColorModel)/size.Height {
		return Picture{}, fmt.Errorf("the picture is too large: %d × %d pixels", size.Width, size.Height)
	}
	decoding.Lock()
	defer decoding.Unlock()
	decoded, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return Picture{}, fmt.Errorf("the %s picture is damaged", strings.ToUpper(format))
	}
	return encoded(resized(decoded))
}

// pixelBytes returns how many bytes a decoded pixel takes at most.
func pixelBytes(model color.Model) int {
	switch model {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.YCbCrModel:
		return 3
	default:
		return 4
	}
}

// resized returns a picture with sides of at most maxSide pixels. Each pixel is the mean of the pixels that it replaces.
func resized(from image.Image) *image.NRGBA {
	bounds := from.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	if longest := max(width, height); longest > maxSide {
		width, height = max(1, width*maxSide/longest), max(1, height*maxSide/longest)
	}
	at := func(x, y int) color.RGBA64 {
		r, g, b, a := from.At(x, y).RGBA()
		return color.RGBA64{uint16(r), uint16(g), uint16(b), uint16(a)}
	}
	if fast, ok := from.(image.RGBA64Image); ok {
		at = fast.RGBA64At
	}
	to := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		top, bottom := bounds.Min.Y+y*bounds.Dy()/height, bounds.Min.Y+(y+1)*bounds.Dy()/height
		for x := range width {
			left, right := bounds.Min.X+x*bounds.Dx()/width, bounds.Min.X+(x+1)*bounds.Dx()/width
			to.Set(x, y, mean(at, image.Rect(left, top, right, bottom)))
		}
	}
	return to
}

// mean returns the mean colour of the pixels in an area.
func mean(at func(x, y int) color.RGBA64, area image.Rectangle) color.RGBA64 {
	var r, g, b, a uint64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			r, g, b, a = r+uint64(c.R), g+uint64(c.G), b+uint64(c.B), a+uint64(c.A)
		}
	}
	n := uint64(area.Dx() * area.Dy())
	return color.RGBA64{uint16(r / n), uint16(g / n), uint16(b / n), uint16(a / n)}
}

// encoded encodes a picture: as JPEG, or as PNG if parts of it are transparent.
func encoded(from *image.NRGBA) (Picture, error) {
	const quality = 85
	var b bytes.Buffer
	p := Picture{Type: "image/jpeg"}
	var err error
	if from.Opaque() {
		err = jpeg.Encode(&b, from, &jpeg.Options{Quality: quality})
	} else {
		p.Type = "image/png"
		err = png.Encode(&b, from)
	}
	if err != nil {
		return Picture{}, err
	}
	const enough = 16 // bytes
	sum := sha256.Sum256(b.Bytes())
	p.Hash, p.Bytes = hex.EncodeToString(sum[:enough]), b.Bytes()
	return p, nil
}

// Links checks whether pictures at addresses can be loaded. Safe for concurrent use.
type Links struct {
	client *http.Client

	mutex  sync.Mutex
	failed map[string]string // what was found out lately, "" for pictures that load
	since  time.Time         // of the first of them
}

// NewLinks returns a checker. It connects to public addresses only, unless private is set.
func NewLinks(private bool) *Links { return &Links{client: middleware.NewClient(private)} }

// Limits of a check.
const (
	maxLinks    = 200              // addresses of one check
	linkTime    = 4 * time.Second  // for one address
	linksTime   = 10 * time.Second // for all
	linkWorkers = 16
	linkAge     = 10 * time.Minute // of what is remembered
	maxKnown    = 10_000           // addresses that are remembered
)

// Failing returns the first of the addresses whose pictures do not load, with the reason. Pages load
// only what begins with https://. It checks up to 200 addresses, and gives up after 10 seconds. Nil checks nothing.
func (l *Links) Failing(ctx context.Context, addresses []string) []string {
	if l == nil {
		return nil
	}
	var distinct []string
	seen := map[string]bool{}
	for _, address := range addresses {
		if isLink := strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://"); isLink && !seen[address] && len(distinct) < maxLinks {
			seen[address] = true
			distinct = append(distinct, address)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, linksTime)
	defer cancel()
	reasons := make([]string, len(distinct))
	var checking sync.WaitGroup
	free := make(chan struct{}, linkWorkers)
	for i, address := range distinct {
		free <- struct{}{}
		checking.Go(func() {
			reasons[i] = l.check(ctx, address)
			<-free
		})
	}
	checking.Wait()
	var failing []string
	for i, reason := range reasons {
		if reason != "" {
			failing = append(failing, distinct[i]+" ("+reason+")")
		}
	}
	return slices.Clip(failing)
}

// check returns why a picture does not load, "" if it does or there was no time to find out.
func (l *Links) check(ctx context.Context, address string) string {
	if !strings.HasPrefix(address, "https://") {
		return "not https"
	}
	l.mutex.Lock()
	reason, known := l.failed[address]
	known = known && time.Since(l.since) < linkAge
	l.mutex.Unlock()
	if known {
		return reason
	}
	if ctx.Err() != nil {
		return ""
	}
	reason = l.load(ctx, address)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.failed == nil || len(l.failed) >= maxKnown || time.Since(l.since) >= linkAge {
		l.failed, l.since = map[string]string{}, time.Now()
	}
	l.failed[address] = reason
	return reason
}

// load returns why a picture does not load, "" if it does. A redirect counts as loading: browsers follow it.
func (l *Links) load(ctx context.Context, address string) string {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "not an address"
	}
	r.Header.Set("User-Agent", "bestpick")
	r.Header.Set("Accept", "image/*")
	reply, err := l.client.Do(r)
	if err != nil {
		return "cannot be reached"
	}
	const most = 512 // bytes; they are discarded
	_, _ = io.CopyN(io.Discard, reply.Body, most)
	_ = reply.Body.Close()
	kind := reply.Header.Get("Content-Type")
	switch {
	case reply.StatusCode >= http.StatusMultipleChoices && reply.StatusCode < http.StatusBadRequest:
		return ""
	case reply.StatusCode != http.StatusOK:
		return fmt.Sprint("status ", reply.StatusCode)
	case kind != "" && !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "application/octet-stream"):
		return "not a picture"
	}
	return ""
}
