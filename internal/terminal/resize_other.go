//go:build !unix

package terminal

// OnResize does nothing: this system does not report the size of the window.
func OnResize(func()) (stop func()) { return func() {} }
