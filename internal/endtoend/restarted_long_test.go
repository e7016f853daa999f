//go:build long

package endtoend

import "testing"

func TestLongPostgreSQLRestarts(t *testing.T)         { databaseRestarts(t, 1, 20) }
func TestLongPostgreSQLRestartsReplicas(t *testing.T) { databaseRestarts(t, 2, 20) }
