// Command withpostgres starts a temporary PostgreSQL server and runs a command, with {} replaced by the
// address of an empty database.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"

	"bestpick/internal/testpostgres"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: withpostgres COMMAND … {} …")
	}
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, command []string) (err error) {
	server := testpostgres.New() //nolint:contextcheck // the server runs as long as this process
	defer func() { err = errors.Join(err, server.Stop()) }()
	database, err := server.Create(ctx)
	if err != nil {
		return err
	}
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "{}", database)
	}
	running := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the caller names the command
	running.Stdin, running.Stdout, running.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := running.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}
